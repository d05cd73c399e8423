import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { finishCommits, writeFolder } from '../../src/output/index.js';
import { forceExit } from '../../src/shutdown.js';
import { NAME, tempFolder } from './support/gym-root.js';

test('empty owner files that came with a checkout are not waited for', async () => {
  const root = tempFolder();
  for (let at = 0; at < 50; at += 1) {
    const folder = join(root, '.gymgen', `s${at}`);
    mkdirSync(folder, { recursive: true });
    for (const name of ['owner.json', 'owner.json.discard']) {
      writeFileSync(join(folder, name), '');
      utimesSync(join(folder, name), at * 1e8, at * 1e8); // also in the future
    }
  }
  const began = Date.now();
  expect(await finishCommits(root)).toEqual([]);
  expect(Date.now() - began).toBeLessThan(10_000);
  expect(existsSync(join(root, '.gymgen'))).toBe(false);
});

test('a forced exit removes what gymgen staged, and no file of somebody else', async () => {
  const root = tempFolder();
  const staging = join(root, '.gymgen', NAME);
  mkdirSync(staging, { recursive: true });
  writeFileSync(join(staging, 'mine.txt'), 'mine');
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const controller = new AbortController();
  let left: string[] = [];
  const files = (async function* () {
    yield { path: 'app.py', content: 'run()\n' };
    forceExit(143);
    left = readdirSync(staging);
    controller.abort(new Error('stopped'));
  })();
  const written = writeFolder({ gymRoot: root, name: NAME }, files, () => ({}), { signal: controller.signal });
  await expect(written).rejects.toThrow(); // the process would have exited
  expect(left).toEqual(['mine.txt']);
  expect(exit).toHaveBeenCalledWith(143);
  exit.mockRestore();
});
