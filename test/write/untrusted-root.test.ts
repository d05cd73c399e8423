// A Gym root may come with someone else's repository. Nothing in it makes a command write outside of the root.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runBatch } from '../../src/operations/batch.js';
import { finishCommits } from '../../src/output/index.js';
import { Root, signal } from '../check/support.js';
import { put, snapshot } from '../output/support/gym-root.js';
import { fail, patched } from '../output/support/patched-fs.js';
import { Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';
import { days } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

const NAME = 'grid_v1';

/** A written Gym root, with a folder of the user next to it. */
async function written() {
  const server = await StandIn.start({ splits: { train: days(5) } });
  const root = new Root(server.url);
  await root.write();
  const parent = dirname(root.gymRoot);
  put(parent, { 'home/id_rsa': 'SECRET', 'home/journal.json': journal({ deletes: ['app.py'] }) });
  return { server, root, parent, gymgen: join(root.gymRoot, '.gymgen') };
}

type World = Awaited<ReturnType<typeof written>>;

async function batch(root: Root, check: boolean): Promise<void> {
  const options = { concurrency: 1, failFast: false, retries: 0, check };
  const observer = { begun: () => {}, reporter: () => new Said(), ended: () => {} };
  const [outcome] = await runBatch([{ label: 'it', request: root.request() }], options, observer, signal);
  if (outcome?.error) throw outcome.error;
}

/** Commands that write, and commands that only read. */
const WRITERS: Record<string, (root: Root) => Promise<unknown>> = {
  write: (root) => root.write(),
  'write --force': (root) => root.write({ edits: 'ours', dropPrompts: true }),
  update: (root) => root.update(),
  batch: (root) => batch(root, false),
};
const READERS: Record<string, (root: Root) => Promise<unknown>> = {
  'write --dry-run': (root) => root.write({ dryRun: true }),
  'update --dry-run': (root) => root.update({ dryRun: true }),
  check: (root) => root.check(),
  'batch --check': (root) => batch(root, true),
};

function journal(changes: { writes?: string[]; deletes?: string[] }): string {
  return JSON.stringify({ format: 1, writes: [], deletes: [], ...changes });
}

/** Another state folder for this test. */
function stateHome(folder: string): void {
  vi.stubEnv('XDG_STATE_HOME', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
}

const fifo = (path: string) => void execFileSync('mkfifo', [path]);

/** Forms of `.gymgen/`, each created for one staging folder. */
const SHAPES: Record<string, (world: World, staging: string) => void> = {
  'a journal that writes from a folder link': ({ parent }, staging) => {
    put(staging, { 'journal.json': journal({ writes: ['id_rsa'] }) });
    symlinkSync(join(parent, 'home'), join(staging, 'files'));
  },
  'a journal that writes from a link in a staged folder': ({ parent }, staging) => {
    put(staging, { 'journal.json': journal({ writes: ['a/id_rsa'] }), 'files/b': '' });
    symlinkSync(join(parent, 'home'), join(staging, 'files/a'));
  },
  'a journal that writes through a folder link': ({ parent, root }, staging) => {
    put(staging, { 'journal.json': journal({ writes: ['hooks/pre-commit'] }), 'files/hooks/pre-commit': '#!/bin/sh' });
    symlinkSync(join(parent, 'home'), join(root.folder, 'hooks'));
  },
  'a journal that only deletes': (_, staging) => put(staging, { 'journal.json': journal({ deletes: ['app.py'] }) }),
  'a journal of format 2 with a wrong MAC': (_, staging) => {
    const commit = { format: 2, writes: [], deletes: ['app.py'] };
    put(staging, { 'journal.json': JSON.stringify({ mac: 'a'.repeat(64), commit }) });
  },
  'a journal of format 2 without a MAC': (_, staging) => {
    const commit = { format: 2, writes: [], deletes: ['app.py'] };
    put(staging, { 'journal.json': JSON.stringify({ mac: '', commit }) });
  },
  'an empty journal': (_, staging) => put(staging, { 'journal.json': '' }),
  'a journal of a gigabyte': (_, staging) => {
    put(staging, { 'journal.json': journal({}) });
    truncateSync(join(staging, 'journal.json'), 2 ** 30);
  },
  'a journal that is a link': ({ parent }, staging) => {
    mkdirSync(staging, { recursive: true });
    symlinkSync(join(parent, 'home/journal.json'), join(staging, 'journal.json'));
  },
  'a journal that is a FIFO': (_, staging) => fifo(join(staging, 'journal.json')),
  'a journal that is a folder': (_, staging) => put(staging, { 'journal.json/a': 'mine' }),
  'a draft of a journal that is a link': ({ parent }, staging) =>
    symlinkSync(join(parent, 'home/id_rsa'), join(staging, 'journal.json.new')),
  'an owner that is a FIFO': (_, staging) => fifo(join(staging, 'owner.json')),
  'an owner that is a link': ({ parent }, staging) =>
    symlinkSync(join(parent, 'home/id_rsa'), join(staging, 'owner.json')),
  'an owner that is a folder': (_, staging) => put(staging, { 'owner.json/a': 'mine' }),
  'staged files behind a link': ({ parent }, staging) => symlinkSync(join(parent, 'home'), join(staging, 'files')),
  'staged files that are a file': (_, staging) => put(staging, { files: 'mine' }),
  'a staging folder that is a link': ({ parent }, staging) => {
    rmSync(staging, { recursive: true });
    symlinkSync(join(parent, 'home'), staging);
  },
  '.gymgen as a link': ({ parent, gymgen }, staging) => {
    cpSync(join(parent, 'home'), join(parent, 'elsewhere', staging.slice(gymgen.length)), { recursive: true });
    rmSync(gymgen, { recursive: true });
    symlinkSync(join(parent, 'elsewhere'), gymgen);
  },
  '.gymgen as a file': ({ gymgen }) => {
    rmSync(gymgen, { recursive: true });
    writeFileSync(gymgen, 'mine');
  },
};

describe.each([NAME, 'other'])('a .gymgen/%s that gymgen did not create', (name) => {
  test.each(Object.entries(SHAPES))('%s: every command rejects it and changes nothing', async (_, shape) => {
    const world = await written();
    const staging = join(world.gymgen, name);
    mkdirSync(staging, { recursive: true });
    shape(world, staging);
    const before = snapshot(world.parent);
    for (const [command, run] of Object.entries({ ...WRITERS, ...READERS })) {
      expect(await failureOf(run(world.root)), command).toMatch(/^fix: .*(?:remove|replace|move)/m);
      expect(snapshot(world.parent), command).toEqual(before);
    }
  });
});

test('entries that gymgen does not create are ignored and kept', async () => {
  const { root, gymgen, parent, server } = await written();
  put(gymgen, {
    [`${NAME}/mine.txt`]: 'mine',
    [`${NAME}/owner.json`]: '{}',
    [`${NAME}/files/x`]: '',
    'other/mine/a': 'b',
  });
  put(gymgen, { 'notes.txt': 'mine', '-x/journal.json': journal({ deletes: ['app.py'] }) });
  symlinkSync(join(parent, 'home'), join(gymgen, '.x'));
  const before = snapshot(parent);
  for (const run of Object.values(READERS)) await run(root);
  expect(snapshot(parent)).toEqual(before);

  server.splits = { train: days(6) };
  for (const run of Object.values(WRITERS)) await run(root);
  expect(Object.keys(snapshot(gymgen)).sort()).toEqual(
    [
      '-x',
      '-x/journal.json',
      '.x',
      NAME,
      `${NAME}/mine.txt`,
      'notes.txt',
      'other',
      'other/mine',
      'other/mine/a',
    ].sort(),
  );
});

test('an owner file that names a running process stops only that folder; the error names the fix', async () => {
  const { root, gymgen, parent } = await written();
  const files = {
    'owner.json': JSON.stringify({ pid: process.ppid }),
    'journal.json': journal({ deletes: ['app.py'] }),
  };
  put(join(gymgen, NAME), files);
  const before = snapshot(parent);
  for (const [command, run] of Object.entries({ ...WRITERS, ...READERS })) {
    expect(await failureOf(run(root)), command).toContain(`remove ${join(gymgen, NAME, 'owner.json')}`);
    expect(snapshot(parent), command).toEqual(before);
  }
  rmSync(gymgen, { recursive: true });
  put(join(gymgen, 'other'), files);
  for (const run of Object.values(WRITERS)) await run(root);
  expect(snapshot(gymgen)).toEqual({
    other: null,
    'other/owner.json': expect.anything(),
    'other/journal.json': expect.anything(),
  });
});

test('a command that only reads creates no state folder', async () => {
  const { root, parent, gymgen } = await written();
  stateHome(join(parent, 'state'));
  for (const run of Object.values(READERS)) await run(root);
  put(join(gymgen, NAME), { 'journal.json': journal({}) });
  for (const run of Object.values(READERS)) await failureOf(run(root));
  expect(readdirSync(parent)).not.toContain('state');
});

/** The same after a write that failed during its commit. */
async function interrupted(): Promise<World> {
  const world = await written();
  let isFull = true;
  patched('rename', (_, to) => isFull && String(to).endsWith('data/train.jsonl') && fail('ENOSPC'));
  world.server.splits = { train: days(9) };
  expect(await failureOf(world.root.write())).toContain('the folder is partly written');
  isFull = false;
  return world;
}

describe('an interrupted write of this user', () => {
  test('is reported by commands that only read, with the command that completes it', async () => {
    const { root, parent } = await interrupted();
    const before = snapshot(parent);
    for (const [command, run] of Object.entries(READERS)) {
      const failure = await failureOf(run(root));
      expect(failure, command).toContain('a write to this folder was interrupted');
      expect(failure, command).toContain(`fix: complete it: gymgen update ${root.gymRoot} --name ${NAME}`);
      expect(snapshot(parent), command).toEqual(before);
    }
  });

  test.each(Object.entries(WRITERS))('is completed by %s', async (_, run) => {
    const { root, gymgen } = await interrupted();
    await run(root);
    expect(root.read('data/train.jsonl').trim().split('\n')).toHaveLength(9);
    expect(() => readdirSync(gymgen)).toThrow('ENOENT');
  });

  test('is completed if the root is named by another path', async () => {
    const { root, parent } = await interrupted();
    symlinkSync('root', join(parent, 'link'));
    expect(await finishCommits(join(parent, 'link'))).toEqual([NAME]);
    expect(root.read('data/train.jsonl').trim().split('\n')).toHaveLength(9);
  });

  const CHANGES: Record<string, (world: World, staging: string) => void> = {
    'with another change in its journal': ({ root }, staging) => {
      const path = join(staging, 'journal.json');
      const text = root.read(`../../.gymgen/${NAME}/journal.json`);
      writeFileSync(path, text.replace('"deletes":[]', '"deletes":["app.py"]'));
    },
    'with another staged file': (_, staging) => put(staging, { 'files/data/train.jsonl': '{}\n' }),
    'with a link for a staged file': ({ parent }, staging) => {
      rmSync(join(staging, 'files/data/train.jsonl'));
      symlinkSync(join(parent, 'home/id_rsa'), join(staging, 'files/data/train.jsonl'));
    },
    'with a link for a staged folder': ({ parent }, staging) => {
      renameSync(join(staging, 'files/data'), join(parent, 'data'));
      symlinkSync(join(parent, 'data'), join(staging, 'files/data'));
    },
    'under another name': ({ gymgen }, staging) => renameSync(staging, join(gymgen, 'other')),
    'to a folder that has become a link': ({ root, parent }) => {
      renameSync(join(root.folder, 'data'), join(parent, 'data'));
      symlinkSync(join(parent, 'data'), join(root.folder, 'data'));
    },
  };

  test.each(Object.entries(CHANGES))('is not completed %s', async (_, change) => {
    const world = await interrupted();
    change(world, join(world.gymgen, NAME));
    const before = snapshot(world.parent);
    for (const [command, run] of Object.entries({ ...WRITERS, ...READERS })) {
      expect(await failureOf(run(world.root)), command).toContain('fix: ');
      expect(snapshot(world.parent), command).toEqual(before);
    }
  });

  test('is not completed in a copy of the Gym root, or with the key of another user', async () => {
    const { root, parent } = await interrupted();
    const copy = join(parent, 'copy');
    cpSync(root.gymRoot, copy, { recursive: true });
    const before = snapshot(parent);
    expect(await failureOf(finishCommits(copy))).toContain('cannot verify who started the interrupted write');
    stateHome(join(parent, 'home'));
    expect(await failureOf(finishCommits(root.gymRoot))).toContain('cannot verify who started the interrupted write');
    expect(snapshot(parent)).toEqual(before);
  });

  test('without a state folder cannot be completed; the fix in the error works', async () => {
    stateHome('/dev/null');
    const { root, gymgen } = await interrupted();
    const failure = await failureOf(root.write());
    expect(failure).toContain(`fix: remove ${join(gymgen, NAME)}, then write the folder again with --force`);
    rmSync(join(gymgen, NAME), { recursive: true });
    expect((await root.write({ edits: 'ours' })).changed).toBe(true);
    expect((await root.check()).changed).toBe(false);
  });
});
