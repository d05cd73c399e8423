import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { differenceLines } from '../../src/cli/ui/difference.js';
import { days, tool } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';
import { Root, type Row, statesIn } from './support.js';

const TRAIN = 'data/train.jsonl';

async function served() {
  const server = await StandIn.start({ splits: { train: days(20), eval: days(3) } });
  const root = new Root(server.url);
  await root.write();
  return { server, root };
}

function prompt(text: string) {
  return (row: Row) => {
    row.responses_create_params.input[1] = { role: 'user', content: text };
  };
}

function promptsOf(root: Root, file = TRAIN): unknown[] {
  const rows = root.read(file).trimEnd().split('\n');
  return rows.map((row) => (JSON.parse(row) as Row).responses_create_params.input.at(-1)?.content);
}

describe('an edited file', () => {
  test('is left and shown, while the others are written', async () => {
    const { server, root } = await served();
    root.edit('README.md', (text) => `${text}Mine.\n`);
    server.splits.train = days(20, (number) => (number === 2 ? { prompt: 'New.' } : {}));
    const report = await root.update();
    expect(report.changed).toBe(true);
    expect(report.edited.map(({ path }) => path)).toEqual(['README.md']);
    expect(report.edited.flatMap(differenceLines)).toContain('-Mine.');
    expect(root.read('README.md')).toContain('Mine.');
    expect(promptsOf(root)[2]).toBe('New.');
    expect(statesIn(await root.check())).toEqual(['edited README.md']);
    const before = statSync(join(root.folder, 'gymgen.lock.json')).mtimeMs;
    expect((await root.update()).changed).toBe(false);
    expect(statSync(join(root.folder, 'gymgen.lock.json')).mtimeMs).toBe(before);
  });

  test('is overwritten with --force', async () => {
    const { root } = await served();
    const text = root.read('README.md');
    root.put('README.md', 'mine');
    expect((await root.update({ edits: 'ours' })).edited).toEqual([]);
    expect(root.read('README.md')).toBe(text);
    expect((await root.check()).changed).toBe(false);
  });

  test('is accepted with --theirs, also by later runs of check, write and update', async () => {
    const { server, root } = await served();
    root.put('README.md', 'mine\n');
    await root.update({ edits: 'theirs' });
    expect((await root.check()).changed).toBe(false);
    expect((await root.write()).changed).toBe(false);
    server.splits.train = days(20, (number) => (number === 2 ? { prompt: 'New.' } : {}));
    await root.write();
    expect((await root.update({ edits: 'ours' })).changed).toBe(false);
    expect(root.read('README.md')).toBe('mine\n');
    expect((await root.check()).changed).toBe(false);
    root.put('README.md', 'mine\r\n');
    expect((await root.check()).changed).toBe(false);
  });

  test('that was accepted is reported again when it or the generated file changes', async () => {
    const { server, root } = await served();
    root.put('README.md', 'mine\n');
    await root.update({ edits: 'theirs' });
    root.put('README.md', 'mine, too\n');
    expect(statesIn(await root.check())).toEqual(['edited README.md']);
    root.put('README.md', 'mine\n');
    server.splits.train = days(21);
    expect(statesIn(await root.check())).toEqual([
      "edited README.md (kept as you edited it, but gymgen's version has changed since)",
      `update ${TRAIN}`,
      'update toolsets.json',
    ]);
    await expect(root.write()).rejects.toMatchObject({ fix: expect.stringContaining('gymgen update') });
  });

  test('that was accepted is written again after it is deleted', async () => {
    const { root } = await served();
    const text = root.read('README.md');
    root.put('README.md', 'mine\n');
    await root.update({ edits: 'theirs' });
    rmSync(join(root.folder, 'README.md'));
    await root.update();
    expect(root.read('README.md')).toBe(text);
    expect(root.read('gymgen.lock.json')).not.toContain('theirs');
  });

  test('that is no longer generated stays, and check reports it', async () => {
    const { server, root } = await served();
    root.editRow('data/eval.jsonl', 0, prompt('Mine.'));
    delete server.splits.eval;
    const report = await root.update();
    expect(report.edited.map(({ note }) => note)).toEqual(['no longer generated']);
    expect(existsSync(join(root.folder, 'data/eval.jsonl'))).toBe(true);
    const { changed, differences } = await root.check();
    expect([changed, differences.map(({ path }) => path)]).toEqual([true, ['data/eval.jsonl']]);
  });

  test('keeps the files that Gym derived from its rows', async () => {
    const { server, root } = await served();
    root.editRow(TRAIN, 0, prompt('Mine.'));
    root.put('data/train_metrics.json', '{}');
    server.splits.train = days(20, (number) => (number === 2 ? { prompt: 'New.' } : {}));
    await root.update();
    expect(root.read('data/train_metrics.json')).toBe('{}');
  });
});

describe('edited prompts', () => {
  test('are kept, while other rows are updated', async () => {
    const { server, root } = await served();
    root.editRow(TRAIN, 4, prompt('Mine.'));
    server.splits.train = days(20, (number) => (number === 7 ? { prompt: 'Theirs.' } : {}));
    server.options.turns = () => [[tool('submit_schedule'), tool('end_turn'), tool('news')]];
    const report = await root.update({ keepPrompts: true });
    expect(report).toMatchObject({ changed: true, edited: [], keptPrompts: 1 });
    const wanted = days(20).map(({ prompt }, number) => (number === 4 ? 'Mine.' : number === 7 ? 'Theirs.' : prompt));
    expect(promptsOf(root)).toEqual(wanted);
    expect(root.read(TRAIN).match(/"news"/g)).toHaveLength(20);
    expect((await root.check()).changed).toBe(false);
    expect((await root.write()).changed).toBe(false);
  });

  test('may be edited again by another tool, and survive any write', async () => {
    const { server, root } = await served();
    root.editRow(TRAIN, 4, prompt('Mine.'));
    await root.update({ keepPrompts: true });
    root.editRow(TRAIN, 4, prompt('Mine \u00e9.'));
    root.edit(TRAIN, (text) => text.replace('"Mine \u00e9."', ' "Mine \\u00e9."'));
    expect((await root.check()).changed).toBe(false);
    server.splits.train = days(20, (number) => (number === 4 || number === 5 ? { prompt: 'Theirs.' } : {}));
    await root.write({ edits: 'ours' });
    expect(promptsOf(root).slice(4, 6)).toEqual(['Mine \u00e9.', 'Theirs.']);
  });

  test('are not kept without --keep-prompts', async () => {
    const { root } = await served();
    root.editRow(TRAIN, 4, prompt('Mine.'));
    await expect(root.write()).rejects.toMatchObject({ details: [TRAIN] });
    expect((await root.update()).edited.map(({ path }) => path)).toEqual([TRAIN]);
    await root.update({ edits: 'ours' });
    expect(promptsOf(root)[4]).toBe('Day 4.');
  });

  test('do not hide other edits in the rows', async () => {
    const { root } = await served();
    root.editRow(TRAIN, 4, prompt('Mine.'));
    root.editRow(TRAIN, 5, (row) => {
      for (const tool of row.responses_create_params.tools) tool.description = 'Mine, too.';
    });
    const report = await root.update({ keepPrompts: true });
    expect(report.edited.flatMap(differenceLines)[0]).toContain("tool 'submit_schedule': description");
    expect(root.read(TRAIN)).toContain('Mine, too.');
    await root.update({ keepPrompts: true, edits: 'ours' });
    expect(root.read(TRAIN)).not.toContain('Mine, too.');
    expect(promptsOf(root)[4]).toBe('Mine.');
  });

  test('are not lost silently if their task is gone or moved', async () => {
    const { server, root } = await served();
    root.editRow(TRAIN, 4, prompt('Mine.'));
    await root.update({ keepPrompts: true });
    server.splits.train = days(20).filter((_, number) => number !== 2);
    const before = root.read(TRAIN);
    await expect(root.write()).rejects.toMatchObject({
      details: [expect.stringContaining('day-4')],
      fix: expect.stringContaining('--force'),
    });
    expect(root.read(TRAIN)).toBe(before);
    expect(statesIn(await root.check())).toContain(`edited ${TRAIN}`);
    await root.update({ edits: 'ours', dropPrompts: true });
    expect(promptsOf(root)).toHaveLength(19);
    expect((await root.check()).changed).toBe(false);
  });

  test('must be messages', async () => {
    const { root } = await served();
    root.editRow(TRAIN, 4, (row) => {
      row.responses_create_params.input = [{ role: 'tool', content: 'x' }];
    });
    await expect(root.update({ keepPrompts: true })).rejects.toMatchObject({
      where: expect.stringMatching(/train\.jsonl:5$/),
    });
  });
});
