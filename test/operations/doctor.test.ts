import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { doctor } from '../../src/operations/doctor.js';
import { cachedFolder } from '../../src/source/cache.js';
import { lockedRequirements } from '../../src/source/programs.js';

const signal = new AbortController().signal;

/** A PATH with only these programs. Each prints one line. */
function onlyPrograms(programs: Record<string, string>): void {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-path-'));
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text, { mode: 0o755 });
  vi.stubEnv('PATH', folder);
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  vi.stubEnv('VIRTUAL_ENV', '');
}

afterEach(() => vi.unstubAllEnvs());

const says = (line: string) => `#!/bin/sh\necho '${line}'\n`;

test('finds only Node on an empty machine, and shows the use and the source of each program', async () => {
  onlyPrograms({});
  const checks = await doctor(signal);
  expect(checks.map(({ name, found, needed }) => [name, found !== null, needed])).toEqual([
    ['Node.js 20 or newer', true, true],
    ['uv', false, true],
    ['Python 3.13.14 or newer', false, true],
    ['agentenv-framework[openenv]', false, true],
    ['gym', false, true],
  ]);
  for (const { use, fix } of checks) expect([use, fix]).not.toContain('');
});

test('finds programs with their versions', async () => {
  onlyPrograms({ uv: says('uv 0.9.0'), 'python3.13': says('3.13.14'), python3: says('3.14.1') });
  const found = Object.fromEntries((await doctor(signal)).map(({ name, found }) => [name, found]));
  const uv = join(String(process.env.PATH), 'uv');
  expect(found).toMatchObject({ uv: `0.9.0, ${uv}`, 'Python 3.13.14 or newer': '3.13.14, python3.13', gym: null });
  expect(found['agentenv-framework[openenv]']).toBe('3.14.1, python3');
});

test("warns if gymgen's own uv is not on PATH, and shows how to add it", async () => {
  onlyPrograms({});
  const uv = await cachedFolder('uv', readFileSync(lockedRequirements('uv'), 'utf8'), async (fresh) => {
    mkdirSync(join(fresh, 'bin'));
    writeFileSync(join(fresh, 'bin/uv'), says('uv 0.9.0'), { mode: 0o755 });
  });
  const bin = join(uv, 'bin');
  expect((await doctor(signal)).find(({ name }) => name === 'uv')).toMatchObject({
    found: `0.9.0, ${bin}/uv`,
    warning: `but not on PATH, as NeMo Gym requires (export PATH="$PATH:${bin}")`,
  });
});

test.each([
  ['3.13.13', false],
  ['3.12.20', false],
  ['3.13.14', true],
  ['3.14.0', true],
  ['4.0.0', true],
])('takes Python %s for what NeMo Gym accepts: %s', async (version, accepted) => {
  onlyPrograms({ 'python3.13': says(version) });
  const python = (await doctor(signal)).find(({ name }) => name.startsWith('Python'));
  expect(python?.found).toBe(accepted ? `${version}, python3.13` : null);
});

test('does not need AgentEnv if uv can install it', async () => {
  onlyPrograms({ uv: says('uv 0.9.0') });
  expect((await doctor(signal)).find(({ name }) => name.startsWith('agentenv'))).toMatchObject({
    found: null,
    needed: false,
  });
});

test('asks the Python of gym for its version, and ignores other programs of that name', async () => {
  onlyPrograms({ gym: '#!/usr/bin/false\n' });
  expect((await doctor(signal)).at(-1)).toMatchObject({ name: 'gym', found: null });
});
