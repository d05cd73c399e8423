import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { builtCli, tempFolder } from '../support/built-cli.js';

/** A folder of programs and Python modules. Each creates a file if it runs. */
function hostileFolder(): string {
  const folder = tempFolder();
  const ran = join(folder, 'ran');
  const module = `open(${JSON.stringify(ran)}, "a").write(__file__ + "\\n")\n`;
  for (const name of ['sitecustomize', 'usercustomize', 'platform', 'venv', 'csv', 'zipfile', 'uvicorn']) {
    writeFileSync(join(folder, `${name}.py`), module);
  }
  for (const name of ['pip', 'importlib', 'openenv', 'agent_env', 'venv']) {
    mkdirSync(join(folder, name));
    for (const file of ['__init__.py', '__main__.py']) writeFileSync(join(folder, name, file), module);
  }
  for (const name of ['uv', 'python3', 'python3.13', 'gym']) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho $0 >> ${ran}\n`, { mode: 0o755 });
  }
  return folder;
}

test.each([
  ['as it is', {}],
  [
    'with relative entries of PATH and PYTHONPATH',
    { PATH: ['.', '', process.env.PATH].join(delimiter), PYTHONPATH: ':.' },
  ],
])('nothing in the current folder runs, %s', async (_, env) => {
  const cwd = hostileFolder();
  const state = { XDG_CACHE_HOME: join(cwd, '.cache'), XDG_STATE_HOME: join(tempFolder(), 'state') };
  await builtCli()(['doctor'], { cwd, env: { ...state, ...env } });
  expect(existsSync(join(cwd, 'ran'))).toBe(false);
});
