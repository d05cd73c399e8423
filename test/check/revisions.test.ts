// Gymgen's own changes, apart from those of the source.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { showCheck } from '../../src/cli/ui/check.js';
import { Terminal } from '../../src/cli/ui/terminal.js';
import { GENERATOR_REVISION } from '../../src/gym/index.js';
import type { CheckReport } from '../../src/operations/check.js';
import { gymgenHere } from '../support/cli-here.js';
import { days } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';
import { Root } from './support.js';

const LOCK = 'gymgen.lock.json';
const MASK = 'openenv_bridge/mask.py';

type Lock = Record<string, unknown> & { files: Record<string, string>; prompts: Record<string, string[] | string> };

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** A root that another gymgen wrote: with other text in one module, and its own lock file. */
async function writtenBy(change: (lock: Lock) => void) {
  const server = await StandIn.start({ splits: { train: days(30) } });
  const root = new Root(server.url);
  await root.write();
  root.edit(MASK, (text) => `# Of another gymgen.\n${text}`);
  setLock(root, (lock) => {
    lock.files[MASK] = sha256(root.read(MASK));
    change(lock);
  });
  return { server, root };
}

function setLock(root: Root, change: (lock: Lock) => void): void {
  const lock = JSON.parse(root.read(LOCK)) as Lock;
  change(lock);
  root.put(LOCK, `${JSON.stringify(lock, null, 2)}\n`);
}

/** As the releases before revisions wrote it. */
function formatOne(lock: Lock): void {
  lock.format = 1;
  delete lock.generator;
  lock.prompts = Object.fromEntries(
    Object.entries(lock.prompts).map(([file, lines]) => [file, [lines].flat().join('')]),
  );
}

function shown(report: CheckReport): string[] {
  const lines: string[] = [];
  const out = { write: (text: string) => lines.push(...text.trimEnd().split('\n')) };
  const options = { quiet: false, json: false, verbose: false };
  showCheck(report, 'root', new Terminal(options, out as never, { write: () => true } as never));
  return lines;
}

describe.each([
  ['a lock file of format 1', formatOne, 0],
  [
    'a lower revision',
    (lock: Lock) => {
      lock.generator = 0;
    },
    0,
  ],
])('%s', (_, older, before) => {
  const told = `gymgen itself changed since this folder was written (revision ${before}, now ${GENERATOR_REVISION}):`;

  test('is reported, and update brings the folder up to date', async () => {
    const { root } = await writtenBy(older);
    const report = await root.check();
    expect(shown(report)).toEqual([
      'differs root/resources_servers/grid_v1',
      told,
      `update  ${LOCK}`,
      `update  ${MASK}`,
    ]);
    const updated = await root.update();
    expect(updated.plan.generator).toEqual({ before, now: GENERATOR_REVISION });
    expect(await root.check()).toMatchObject({ changed: false });
    expect(JSON.parse(root.read(LOCK))).toMatchObject({ format: 2, generator: GENERATOR_REVISION });
  });

  test("is told apart from the source's changes and from edits", async () => {
    const { server, root } = await writtenBy(older);
    server.splits.train = days(30, (number) => (number === 2 ? { prompt: 'New.' } : {}));
    root.put('app.py', 'mine\n');
    const lines = shown(await root.check());
    const at = lines.indexOf(told);
    expect(lines.slice(0, at).filter((line) => /^[a-z]/.test(line))).toEqual([
      'differs root/resources_servers/grid_v1',
      'edited  app.py',
      'update  data/train.jsonl',
    ]);
    expect(lines.slice(at + 1)).toEqual([`update  ${LOCK}`, `update  ${MASK}`]);
  });

  test('keeps edited prompts', async () => {
    const { root } = await writtenBy(older);
    root.editRow('data/train.jsonl', 25, (row) => {
      row.responses_create_params.input[1] = { role: 'user', content: 'Mine.' };
    });
    expect(await root.update({ keepPrompts: true })).toMatchObject({ keptPrompts: 1, edited: [] });
    expect(root.read('data/train.jsonl')).toContain('"Mine."');
    expect(await root.check()).toMatchObject({ changed: false });
  });
});

describe('a folder of revision 1, whose config has no environment and no datasets', () => {
  const CONFIG = 'configs/grid_v1.yaml';

  async function written(change: (lock: Lock) => void = () => {}) {
    const server = await StandIn.start({ splits: { train: days(30) } });
    const root = new Root(server.url);
    await root.write();
    root.edit(CONFIG, (text) =>
      text.replace(/^ {6}datasets:\n(?: {6}- .*\n(?: {8}.*\n)+)+/m, '').replace(/^ {6}environment: .*\n/m, ''),
    );
    root.put('README.md', 'As revision 1 wrote it.\n');
    setLock(root, (lock) => {
      lock.generator = 1;
      for (const file of [CONFIG, 'README.md']) lock.files[file] = sha256(root.read(file));
      change(lock);
    });
    expect(root.read(CONFIG)).not.toMatch(/datasets|environment:/);
    return { server, root };
  }

  test('differs only because gymgen changed, and update adds them', async () => {
    const { root } = await written();
    expect(shown(await root.check())).toEqual([
      'differs root/resources_servers/grid_v1',
      `gymgen itself changed since this folder was written (revision 1, now ${GENERATOR_REVISION}):`,
      'update  README.md',
      `update  ${CONFIG}`,
      `update  ${LOCK}`,
    ]);
    expect(await root.update()).toMatchObject({ edited: [], datasets: { train: 'train', license: 'TBD' } });
    expect(root.read(CONFIG)).toContain('      datasets:\n      - name: train\n');
    expect(await root.check()).toMatchObject({ changed: false });
  });

  test('is distinguished from a config that changed otherwise', async () => {
    const { root } = await written((lock) => {
      lock.files[CONFIG] = sha256('another url');
    });
    root.put(CONFIG, 'another url');
    const { differences } = await root.check();
    expect(differences.find(({ path }) => path === CONFIG)).not.toHaveProperty('isGymgenChange');
  });
});

test('the folder of a newer gymgen is refused by every command, and stays as it is', async () => {
  const { root } = await writtenBy((lock) => {
    lock.generator = GENERATOR_REVISION + 1;
  });
  const before = [root.read(LOCK), root.read(MASK)];
  const cwd = join(root.gymRoot, '..');
  for (const args of [
    ['check', 'root'],
    ['check', root.source, 'root'],
    ['update', 'root'],
    ['update', 'root', '--force'],
    [root.source, 'root'],
    [root.source, 'root', '--force'],
    [root.source, 'root', '--diff'],
    [root.source, 'root', '--dry-run'],
  ]) {
    const { exitCode, stderr } = await gymgenHere(args, { cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } });
    expect([args, exitCode]).toEqual([args, 2]);
    const numbers = `revision ${GENERATOR_REVISION + 1}, not ${GENERATOR_REVISION}`;
    expect(stderr).toContain(`error: a newer gymgen wrote this folder (${numbers})`);
    expect(stderr).toContain('fix: update gymgen');
  }
  expect([root.read(LOCK), root.read(MASK)]).toEqual(before);
});

test('the lock file has one line for each file and for 20 prompts', async () => {
  const { root } = await writtenBy(() => {});
  const lines = root.read(LOCK).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(140);
  expect((JSON.parse(root.read(LOCK)) as Lock).prompts['data/train.jsonl']).toHaveLength(2);
});

describe('which entry of a lock file differs is told', () => {
  const edits: [string, (lock: Lock) => void, string[]][] = [
    [
      'a hash',
      (lock) => {
        lock.files['app.py'] = sha256('x');
      },
      ['~ files: app.py'],
    ],
    [
      'a missing hash',
      (lock) => {
        delete lock.files['app.py'];
      },
      ['~ files: app.py'],
    ],
    [
      'prompts',
      (lock) => {
        lock.prompts['data/train.jsonl'] = ['AAAA'];
      },
      ['~ prompts: data/train.jsonl'],
    ],
    [
      'an option',
      (lock) => {
        lock.options = { limit: '5' };
      },
      ['-  "options": {', '-    "limit": "5"', '+  "options": {},'],
    ],
  ];
  test.each(edits)('%s', async (_, edit, expected) => {
    const server = await StandIn.start({ splits: { train: days(5) } });
    const root = new Root(server.url);
    await root.write();
    setLock(root, edit);
    const found = (await root.check()).differences.find(({ path }) => path === LOCK);
    expect(found?.diff?.filter((line) => /^[-+~]/.test(line))).toEqual(expect.arrayContaining(expected));
  });

  test('or only its formatting', async () => {
    const server = await StandIn.start({ splits: { train: days(5) } });
    const root = new Root(server.url);
    await root.write();
    root.edit(LOCK, (text) => JSON.stringify(JSON.parse(text)));
    expect((await root.check()).differences).toMatchObject([{ path: LOCK, diff: ['~ only the JSON formatting'] }]);
  });
});
