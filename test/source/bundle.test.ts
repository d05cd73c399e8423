import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openBundle } from '../../src/source/bundle.js';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'gymgen-bundle-')));
  for (const folder of ['bin', 'user', 'bundle']) mkdirSync(join(home, folder));
  // Has AgentEnv, as far as it is asked, and notes where it is run.
  const python = `#!/bin/sh\npwd >> ${home}/calls\n[ "$1" = -c ] && exit 0\necho '{"url": "http://h", "framework": "1"}'\nexec cat\n`;
  writeFileSync(join(home, 'bin/python3'), python, { mode: 0o755 });
  vi.stubEnv('PATH', [join(home, 'bin'), '/usr/bin', '/bin'].join(delimiter));
  vi.stubEnv('VIRTUAL_ENV', '');
  vi.stubEnv('HOME', join(home, 'user'));
  vi.stubEnv('XDG_CACHE_HOME', join(home, 'cache'));
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

const context = { reporter: { warn: () => {}, progress: () => {} }, signal: new AbortController().signal };

test.each<[string, () => Parameters<typeof openBundle>[0], () => string]>([
  ['an installed bundle, in the home folder', () => ({ name: 'hello' }), () => join(home, 'user')],
  ['a folder, in it', () => ({ folder: join(home, 'bundle') }), () => join(home, 'bundle')],
])('the current folder has no say in how a bundle is served: %s', async (_, bundle, folder) => {
  await (await openBundle(bundle(), {}, context)).close();
  expect(readFileSync(join(home, 'calls'), 'utf8').trim().split('\n')).toEqual(['/', folder()]);
});
