import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { finishCommits } from '../../src/output/index.js';
import { childProcesses, type Outcome } from './support/child.js';
import { type Files, folderOf, NAME, put, snapshot, tempFolder, write } from './support/gym-root.js';

const run = childProcesses();

const OLD: Files = {
  'app.py': 'old\n',
  'data/old.jsonl': ['{"old":1}\n'],
  'data/train.jsonl': ['{"old":1}\n'],
  same: '',
};
const NEW: Files = {
  'app.py': 'new\n',
  'data/train.jsonl': ['{"new":1}\n', '{"new":2}\n'],
  'deep/er/new.txt': 'new\n',
  same: '',
};
const MINE = { '.venv/bin/python': 'p', 'data/old_metrics.json': '{}', 'mine.txt': 'mine' };

interface World {
  /** Creates a copy of the Gym root before the write. */
  fresh: () => string;
  before: Record<string, string | null>;
  after: Record<string, string | null>;
}

/** A Gym root before and after a write; with `old`, over an existing folder that has files of the user. */
async function world(old: Files | undefined): Promise<World> {
  const temp = tempFolder();
  const root = join(temp, 'root');
  put(root, { 'README.md': 'the user has a Gym root' });
  if (old) {
    await write(root, old);
    put(folderOf(root), MINE);
  }
  const done = join(temp, 'done');
  cpSync(root, done, { recursive: true });
  await write(done, NEW);
  let copies = 0;
  const fresh = () => {
    copies += 1;
    const copy = join(temp, `copy-${copies}`);
    cpSync(root, copy, { recursive: true });
    return copy;
  };
  return { fresh, before: snapshot(root), after: snapshot(done) };
}

const withoutStaging = (files: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(files).filter(([path]) => path.split('/')[0] !== '.gymgen'));

/** The content of a Gym root. An empty resources_servers/, created just before the commit, is left out. */
const contents = (root: string) => {
  const found = snapshot(root);
  if (!existsSync(folderOf(root))) delete found.resources_servers;
  return found;
};

describe.each([
  ['over an existing folder', OLD, 'rename journal.json', 5],
  ['a new one', undefined, `rename ${NAME}`, 1],
])('a write %s, killed (SIGKILL) before each call that changes the disk', (_, old, commit, renames) => {
  test('leaves the old folder until the commit; after that, the next command completes the new one', {
    timeout: 300_000,
  }, async () => {
    const { fresh, before, after } = await world(old);
    const { steps } = (await run({ gymRoot: fresh(), files: NEW }).outcome) as Outcome;
    const committed = steps.indexOf(commit);
    expect(committed).toBeGreaterThan(5);
    expect(steps.slice(committed).filter((step) => step.startsWith('rename')).length).toBeGreaterThanOrEqual(renames);

    for (let killAt = 1; killAt <= steps.length; killAt += 1) {
      const at = `killed before ${killAt}: ${steps[killAt - 1]}`;
      const root = fresh();
      expect(await run({ gymRoot: root, files: NEW, killAt }).outcome, at).toBeUndefined();
      const isCommitted = killAt > committed + 1;
      if (!isCommitted) expect(withoutStaging(contents(root)), at).toEqual(before);
      const isUnfinished = existsSync(join(root, '.gymgen', NAME, 'journal.json'));
      if (isCommitted && !isUnfinished) expect(withoutStaging(snapshot(root)), at).toEqual(after);

      expect(await finishCommits(root), at).toEqual(isUnfinished ? [NAME] : []);
      expect(contents(root), at).toEqual(isCommitted ? after : before);
      rmSync(root, { recursive: true });
    }
  });
});

test('a recovery that is killed before any call is completed by the next one', {
  timeout: 300_000,
}, async () => {
  const { fresh, after } = await world(OLD);
  const { steps } = (await run({ gymRoot: fresh(), files: NEW }).outcome) as Outcome;
  const killAt = steps.indexOf('rename journal.json') + 3;
  const broken = fresh();
  await run({ gymRoot: broken, files: NEW, killAt }).outcome;
  const saved = `${broken}-saved`; // put back at the same path: the journal is of that Gym root only
  cpSync(broken, saved, { recursive: true });
  const finish = (await run({ gymRoot: broken }).outcome) as Outcome;
  expect(snapshot(broken)).toEqual(after);

  for (let again = 1; again <= finish.steps.length; again += 1) {
    rmSync(broken, { recursive: true });
    cpSync(saved, broken, { recursive: true });
    expect(await run({ gymRoot: broken, killAt: again }).outcome).toBeUndefined();
    await finishCommits(broken);
    expect(snapshot(broken), `killed before ${again}: ${finish.steps[again - 1]}`).toEqual(after);
  }
});

test('a write killed at 20 random moments leaves a complete old or new folder', { timeout: 300_000 }, async () => {
  const { fresh, before, after } = await world(OLD);
  const started = performance.now();
  await run({ gymRoot: fresh(), files: NEW }).outcome;
  const duration = performance.now() - started;

  for (let time = 0; time < 20; time += 1) {
    const root = fresh();
    const child = run({ gymRoot: root, files: NEW });
    const moment = Math.random() * duration;
    await sleep(moment);
    child.process.kill('SIGKILL');
    await child.outcome;
    const finished = await finishCommits(root);
    const found = snapshot(root);
    const isOld = JSON.stringify(found) === JSON.stringify(before);
    if (!isOld || finished.length > 0) expect(found, `killed after ${moment} ms`).toEqual(after);
  }
});

test('a write completes an interrupted one first', async () => {
  const { fresh, after } = await world(OLD);
  const { steps } = (await run({ gymRoot: fresh(), files: NEW }).outcome) as Outcome;
  const root = fresh();
  await run({ gymRoot: root, files: NEW, killAt: steps.indexOf('rename journal.json') + 3 }).outcome;
  expect(existsSync(join(root, '.gymgen', NAME, 'journal.json'))).toBe(true);
  expect((await write(root, NEW)).changed).toBe(false);
  expect(snapshot(root)).toEqual(after);
});
