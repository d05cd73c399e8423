import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  forgetRecording,
  isRemembered,
  rememberedRecording,
  rememberRecording,
  rememberSource,
} from '../../src/state/trusted-sources.js';

let work: string;
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'gymgen-state-'));
  mkdirSync(join(work, 'folder'));
  mkdirSync(join(work, 'other'));
  vi.stubEnv('XDG_STATE_HOME', join(work, 'state'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(work, { recursive: true });
  });
});

test('a folder is remembered with its code and sandbox, by its real path', async () => {
  const folder = join(work, 'folder');
  expect(await isRemembered(folder, { code: '/b' })).toBe(false);
  await rememberSource(folder, { code: '/b', sandbox: 'docker' });
  symlinkSync('folder', join(work, 'link'));
  expect(await isRemembered(join(work, 'link'), { code: '/b', sandbox: 'docker' })).toBe(true);
  for (const code of [{ code: '/b' }, { code: '/b', sandbox: 'cloud' }, { code: '/c', sandbox: 'docker' }]) {
    expect(await isRemembered(folder, code)).toBe(false);
  }
  expect(await isRemembered(join(work, 'other'), { code: '/b', sandbox: 'docker' })).toBe(false);
});

test('only the last source of a folder is remembered', async () => {
  const folder = join(work, 'folder');
  await rememberSource(folder, { code: '/b' });
  await rememberSource(folder, { code: '/c' });
  expect(await isRemembered(folder, { code: '/b' })).toBe(false);
  expect(await isRemembered(folder, { code: '/c' })).toBe(true);
  expect(readdirSync(join(work, 'state/gymgen'))).toHaveLength(1);
});

test('a recording is remembered until the folder is written from something else', async () => {
  const folder = join(work, 'folder');
  expect(await rememberedRecording(folder)).toBeUndefined();
  await forgetRecording(folder);
  expect(existsSync(join(work, 'state'))).toBe(false);
  await rememberRecording(folder, '/a.jsonl');
  expect(await rememberedRecording(folder)).toBe('/a.jsonl');
  expect(await isRemembered(folder, { code: '/a.jsonl' })).toBe(false);
  await rememberSource(folder, { code: '/b' });
  expect(await rememberedRecording(folder)).toBeUndefined();
  await rememberRecording(folder, '/a.jsonl');
  await forgetRecording(folder);
  expect(await rememberedRecording(folder)).toBeUndefined();
});

test('without a state folder, nothing is remembered and nothing fails', async () => {
  vi.stubEnv('XDG_STATE_HOME', '/dev/null');
  await rememberSource(join(work, 'folder'), { code: '/b' });
  expect(await isRemembered(join(work, 'folder'), { code: '/b' })).toBe(false);
});
