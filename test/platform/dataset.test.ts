import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failureOf } from '../support/failure-of.js';
import { gymRoot, linesOf, packaged, serverOf } from './support.js';

const trainOf = (root: string) => join(serverOf(root), 'data/train.jsonl');

/** Gives the train split this many rows. */
function grow(root: string, count: number): void {
  const [first = ''] = linesOf(trainOf(root));
  const rows = Array.from({ length: count }, (_, at) => first.replace(/day-\d+/g, `day-${at}`));
  writeFileSync(trainOf(root), rows.map((row) => `${row}\n`).join(''));
}

test('a fraction splits by task id, so that more tasks move none', async () => {
  const root = gymRoot();
  const sides = async () => {
    await packaged(root, { validationFraction: 0.25 });
    return ['training', 'validation'].map((name) => linesOf(join(root, `../out/dataset/${name}.jsonl`)));
  };
  grow(root, 400);
  const [training = [], validation = []] = await sides();
  expect([...training, ...validation].sort()).toEqual(linesOf(trainOf(root)).sort());
  expect(validation.length).toBeGreaterThan(60);
  expect(validation.length).toBeLessThan(140);
  grow(root, 500);
  const [more = [], others = []] = await sides();
  expect(more.filter((row) => training.includes(row))).toEqual(training);
  expect(others.filter((row) => validation.includes(row))).toEqual(validation);
});

test('--limit takes the first rows of each split', async () => {
  const root = gymRoot();
  const { rows } = await packaged(root, { limit: 2, validation: 'eval' });
  expect(rows).toEqual([
    { path: 'training.jsonl', rows: 2 },
    { path: 'validation.jsonl', rows: 2 },
  ]);
  expect(linesOf(join(root, '../out/dataset/training.jsonl'))).toEqual(linesOf(trainOf(root)).slice(0, 2));
});

test('rows keep their bytes, except Windows line ends', async () => {
  const root = gymRoot();
  const [first = ''] = linesOf(trainOf(root));
  const odd = first.replace('"split"', '"n":1.0,"big":9223372036854775807,"split"').replace('}}', ' } }');
  writeFileSync(trainOf(root), `${odd}\r\n${first}`);
  await packaged(root);
  expect(readFileSync(join(root, '../out/dataset/training.jsonl'), 'utf8')).toBe(`${odd}\n${first}\n`);
});

test('a row without a task id cannot be on a side', async () => {
  const root = gymRoot();
  appendFileSync(trainOf(root), '{"responses_create_params":{}}\n');
  expect(await failureOf(packaged(root, { validationFraction: 0.5 }))).toMatch(/no task_id[\s\S]*train.jsonl:7/);
});
