import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { builtCli } from '../support/built-cli.js';

const gymgen = builtCli();
const cwd = fileURLToPath(new URL('../../', import.meta.url));
const ROOT = 'fixtures/roots';

test.each(readdirSync(`${cwd}${ROOT}/resources_servers`))('gymgen writes %s', async (name) => {
  const source = ['--name', name, '--source', `${ROOT}/gridsim.jsonl`];
  if (process.env.GYMGEN_UPDATE_GOLDEN === '1') await gymgen(['update', ROOT, ...source, '--force'], { cwd });
  expect(await gymgen(['check', ROOT, ...source], { cwd })).toMatchObject({
    stdout: `same ${ROOT}/resources_servers/${name}`,
    exitCode: 0,
  });
});
