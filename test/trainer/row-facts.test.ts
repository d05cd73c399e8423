import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { rowFacts } from '../../src/trainers/row-facts.js';

const temp = mkdtempSync(join(tmpdir(), 'gymgen-rows-'));
afterAll(() => rmSync(temp, { recursive: true }));

const signal = new AbortController().signal;

function row(characters: number, more: object = {}): object {
  return { responses_create_params: { input: 'x'.repeat(characters) }, agent_ref: { name: 'grid_agent' }, ...more };
}

function fileOf(lines: (object | string)[], end = '\n'): { split: string; path: string } {
  const path = join(temp, 'train.jsonl');
  writeFileSync(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n') + end);
  return { split: 'train', path };
}

test('counts rows, and names the ten longest with their lines and tasks', async () => {
  const rows = Array.from({ length: 30 }, (_, at) => row(at * 40, at % 2 ? { task_id: `day-${at}` } : {}));
  const seen: number[] = [];
  const facts = await rowFacts(fileOf(rows), {
    agent: 'grid_agent',
    limit: 199,
    signal,
    onRow: (_, at) => seen.push(at),
  });
  expect(facts).toMatchObject({ split: 'train', rows: 30, over: 10, bad: { count: 0, first: [] } });
  expect(facts.longest).toHaveLength(10);
  expect(facts.longest[0]).toEqual({ line: 30, tokens: 290, task: 'day-29' });
  expect(facts.longest[9]).toEqual({ line: 21, tokens: 200 });
  expect(seen).toEqual(rows.map((_, at) => at + 1));
});

test('of equally long rows, the first are named', async () => {
  const { longest } = await rowFacts(fileOf(Array(20).fill(row(8))), { agent: 'grid_agent', signal });
  expect(longest.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('names the lines that a trainer cannot use', async () => {
  const lines = [
    row(4),
    '',
    'no JSON',
    { reward: 1 },
    row(4, { agent_ref: null }),
    row(4, { agent_ref: { name: 'x' } }),
  ];
  const facts = await rowFacts(fileOf(lines, '\n\n'), { agent: 'grid_agent', signal });
  expect(facts).toMatchObject({ rows: 3, over: 0 });
  expect(facts.bad).toEqual({
    count: 6,
    first: [
      { line: 2, problem: 'blank line' },
      { line: 3, problem: 'not valid JSON' },
      { line: 4, problem: 'not a row' },
      { line: 5, problem: 'names no agent' },
      { line: 6, problem: 'names another agent' },
      { line: 7, problem: 'blank line' },
    ],
  });
});

test('ends when the command is interrupted', async () => {
  await expect(rowFacts(fileOf([row(4)]), { agent: 'grid_agent', signal: AbortSignal.abort() })).rejects.toThrow();
});
