import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { Interrupted } from '../../src/errors.js';
import { type OutputFile, writeFolder } from '../../src/output/index.js';
import { forceExit } from '../../src/shutdown.js';
import { type Files, folderOf, NAME, outputs, snapshot, tempFolder, write } from './support/gym-root.js';
import { patched } from './support/patched-fs.js';

const OLD: Files = { 'app.py': 'old\n', 'data/train.jsonl': ['{}\n'] };

interface Controls {
  abort: () => void;
  /** Never settles, like a server that does not answer. */
  hang: () => Promise<never>;
}

/** Writes files from a generator that may abort the run. Returns the error. */
async function interrupted(
  root: string,
  files: (controls: Controls) => AsyncIterable<OutputFile>,
  record = () => ({}),
) {
  const controller = new AbortController();
  const reason = new Interrupted('SIGINT');
  const abort = () => controller.abort(reason);
  const hang = () => new Promise<never>(() => setTimeout(abort));
  const { signal } = controller;
  const result = await writeFolder({ gymRoot: root, name: NAME }, files({ abort, hang }), record, { signal }).catch(
    (e) => e,
  );
  return { result, reason };
}

const points: [string, (controls: Controls) => AsyncIterable<OutputFile>][] = [
  [
    'before the first file',
    async function* ({ abort }) {
      abort();
      yield* outputs(OLD);
    },
  ],
  [
    'while waiting for a file',
    async function* ({ hang }) {
      yield { path: 'app.py', content: 'new\n' };
      await hang();
    },
  ],
  [
    'between two chunks of rows',
    async function* ({ abort }) {
      yield { path: 'data/train.jsonl', rows: aborting(abort) };
    },
  ],
  [
    'while waiting for rows',
    async function* ({ hang }) {
      yield { path: 'data/train.jsonl', rows: hanging(hang) };
    },
  ],
  [
    'after the last file',
    async function* ({ abort }) {
      yield* outputs({ ...OLD, 'app.py': 'new\n' });
      abort();
    },
  ],
];

async function* aborting(abort: () => void) {
  yield Buffer.from('{"new":1}\n');
  abort();
  yield Buffer.from('{"new":2}\n');
}

async function* hanging(hang: () => Promise<never>) {
  yield Buffer.from('{"new":1}\n');
  await hang();
}

describe('an interrupted run', () => {
  test.each(points)('%s: leaves the old folder unchanged, and no leftovers', async (_, files) => {
    const root = tempFolder();
    await write(root, OLD);
    const before = snapshot(root);
    const { result, reason } = await interrupted(root, files);
    expect(result).toBe(reason);
    expect(snapshot(root)).toEqual(before);
  });

  test.each(points)('%s: removes a Gym root that it has created', async (_, files) => {
    const temp = tempFolder();
    const { result, reason } = await interrupted(join(temp, 'a', 'b'), files);
    expect(result).toBe(reason);
    expect(readdirSync(temp)).toEqual([]);
  });

  test('while the lock file is created: leaves the old folder unchanged', async () => {
    const root = tempFolder();
    await write(root, OLD);
    const before = snapshot(root);
    let abort = () => {};
    const files = (controls: Controls) => {
      abort = controls.abort;
      return outputs({ 'app.py': 'new\n' });
    };
    const { result, reason } = await interrupted(root, files, () => {
      abort();
      return {};
    });
    expect(result).toBe(reason);
    expect(snapshot(root)).toEqual(before);
  });

  test('during the commit: completes it first', async () => {
    const root = tempFolder();
    await write(root, OLD);
    const run = interrupted(root, async function* ({ abort }) {
      patched('rename', (_, to) => {
        if (String(to) === join(folderOf(root), 'app.py')) abort();
      });
      yield* outputs({ 'app.py': 'new\n', 'data/train.jsonl': ['{"new":1}\n'] });
    });
    const { result, reason } = await run;
    expect(result).toBe(reason);
    expect(snapshot(folderOf(root))).toMatchObject({ 'app.py': 'new\n', 'data/train.jsonl': '{"new":1}\n' });
    expect(existsSync(join(root, '.gymgen'))).toBe(false);
  });

  test('before it began: requests nothing', async () => {
    const root = join(tempFolder(), 'root');
    const reason = new Interrupted('SIGTERM');
    const options = { signal: AbortSignal.abort(reason) };
    const written = writeFolder({ gymRoot: root, name: NAME }, outputs(OLD), () => ({}), options);
    await expect(written).rejects.toBe(reason);
    expect(existsSync(root)).toBe(false);
  });
});

test('an error of the source is reported unchanged; the source is ended, without leftovers', async () => {
  const temp = tempFolder();
  const failure = Object.assign(new Error('tasks changed during the listing'), { code: 'ENOSPC' });
  let ended = false;
  async function* rows() {
    yield Buffer.from('{}\n');
    throw failure;
  }
  async function* files(): AsyncGenerator<OutputFile> {
    try {
      yield { path: 'data/train.jsonl', rows: rows() };
    } finally {
      ended = true;
    }
  }
  const { result } = await interrupted(join(temp, 'root'), files);
  expect(result).toBe(failure);
  expect(ended).toBe(true);
  expect(readdirSync(temp)).toEqual([]);
});

test('a forced exit removes staged files, and no other files', async () => {
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
