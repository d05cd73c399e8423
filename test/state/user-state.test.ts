import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { knownKey, readState, userKey, writeState } from '../../src/state/user-state.js';

/** A state home for this test. */
function stateHome(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-home-'));
  vi.stubEnv('XDG_STATE_HOME', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

test('reading creates nothing', async () => {
  const home = stateHome();
  expect(await readState('key')).toBeUndefined();
  expect(await knownKey()).toBeUndefined();
  expect(readdirSync(home)).toEqual([]);
});

test('the key is created once, readable only by this user', async () => {
  const home = stateHome();
  const key = await userKey();
  expect(key).toHaveLength(32);
  expect(await userKey()).toEqual(key);
  expect(await knownKey()).toEqual(key);
  expect(statSync(join(home, 'gymgen')).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, 'gymgen/key')).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home, 'gymgen'))).toEqual(['key']);
});

test('a key that others could have written is not used', async () => {
  const home = stateHome();
  const folder = join(home, 'gymgen');
  mkdirSync(folder);
  writeFileSync(join(folder, 'key'), Buffer.alloc(32));
  chmodSync(folder, 0o777);
  expect(await knownKey()).toBeUndefined();
  chmodSync(folder, 0o700);
  rmSync(join(folder, 'key'));
  writeFileSync(join(home, 'key'), Buffer.alloc(32));
  symlinkSync(join(home, 'key'), join(folder, 'key'));
  expect(await knownKey()).toBeUndefined();
});

test('an unusable state folder is not an error', async () => {
  vi.stubEnv('XDG_STATE_HOME', '/dev/null');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await userKey()).toBeUndefined();
  expect(await writeState('a', 'b')).toBe(false);
});
