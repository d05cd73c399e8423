import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Line, readLines } from '../../src/report/read-lines.js';
import { linesFile, tempFolder } from './support.js';

async function read(lines: (object | string)[]): Promise<Line[]> {
  const found: Line[] = [];
  for await (const batch of readLines(linesFile(join(tempFolder(), 'rollouts.jsonl'), lines))) found.push(...batch);
  return found;
}

test('lines that are not rollouts have a problem, and the others are read', async () => {
  const problems = (await read(['\ufeff{"reward":1}', '', '{"reward":', '[1]', '7', '{"a":1}', '{"reward":2}\r'])).map(
    (line) => ('problem' in line ? [line.line, line.problem] : [line.line, line.value.reward]),
  );
  expect(problems).toEqual([
    [1, 1],
    [3, 'not valid JSON'],
    [4, 'not a JSON object'],
    [5, 'not a JSON object'],
    [6, 'neither a reward nor a response'],
    [7, 2],
  ]);
});

test("the bare words of Python's json module are null", async () => {
  const [line] = await read(['{"reward": NaN, "low": -Infinity, "text": "NaN \\" Infinity"}']);
  expect(line).toMatchObject({ value: { reward: null, low: null, text: 'NaN " Infinity' } });
});

test('a line with too many values or levels has a problem', async () => {
  const [many, deep] = await read([
    `{"reward":1,"x":[${'0,'.repeat(1_000_000)}0]}`,
    `{"reward":1,"x":${'['.repeat(1001)}${']'.repeat(1001)}}`,
  ]);
  expect(many).toMatchObject({ problem: 'too many JSON values: the limit is 1,000,000 (jsonValues)' });
  expect(deep).toMatchObject({ problem: 'JSON nested too deeply: the limit is 1,000 (jsonDepth)' });
});

test('token ids do not count as values', async () => {
  const [line] = await read([`{"reward":1,"prompt_token_ids":[${'0,'.repeat(1_500_000)}0]}`]);
  expect(line).toMatchObject({ value: { prompt_token_ids: 1_500_001 } });
});

test('more rollouts than the limit are an error that says how to take a sample', async () => {
  await expect(read(Array(100_001).fill('{"reward":1}'))).rejects.toMatchObject({
    message: 'too many rollouts for a report: the limit is 100,000 (reportRollouts)',
    fix: expect.stringMatching(/^take a sample: shuf -n 20000 \S+ > sample\.jsonl$/),
  });
});
