import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { outputFolder } from '../../src/play/output-folder.js';
import { writeRows } from '../../src/play/rows.js';
import { failureOf } from '../support/failure-of.js';

const temp = mkdtempSync(join(tmpdir(), 'gymgen-play-rows-'));
afterAll(() => rmSync(temp, { recursive: true }));

let files = 0;
const newFile = () => {
  files += 1;
  return join(temp, `rows-${files}.jsonl`);
};

function server(name: string, splits: Record<string, string>): string {
  const folder = join(temp, 'resources_servers', name);
  mkdirSync(join(folder, 'data'), { recursive: true });
  const hashes: Record<string, string> = {};
  for (const [split, rows] of Object.entries(splits)) {
    writeFileSync(join(folder, `data/${split}.jsonl`), rows);
    hashes[`data/${split}.jsonl`] = `sha256:${'0'.repeat(64)}`;
  }
  writeFileSync(join(folder, 'gymgen.lock.json'), JSON.stringify({ format: 1, files: hashes }));
  writeFileSync(join(folder, 'toolsets.json'), '{"toolsets":[]}');
  return folder;
}

const row = (index: number) =>
  `{"responses_create_params":{"input":"x"},"index":${index}.0,"big":9223372036854775807}\n`;

test('the rows are copied as they are, up to the limit', async () => {
  const folder = server('shop', { train: row(0), eval: row(1) + row(2) + row(3) });
  const target = newFile();
  expect(await writeRows({ folders: [{ folder }], limit: 2 }, target)).toEqual([
    { name: 'shop', split: 'eval', rows: 2 },
  ]);
  expect(readFileSync(target, 'utf8')).toBe(row(1) + row(2));
});

test('several servers become one file', async () => {
  const [one, two] = [server('one', { all: row(1) }), server('two', { train: row(2), all: row(3) })];
  const target = newFile();
  const played = await writeRows({ folders: [{ folder: one }, { folder: two }], split: 'all' }, target);
  expect(played.map(({ name, split }) => [name, split])).toEqual([
    ['one', 'all'],
    ['two', 'all'],
  ]);
  expect(readFileSync(target, 'utf8')).toBe(row(1) + row(3));
});

test.each([
  ['a missing split', { train: row(1) }, 'test', 'no split is named "test"', 'choose one of train'],
  ['an empty one', { train: '' }, undefined, 'the split has no rows', '--split NAME'],
  ['a damaged line', { train: `${row(1)}{` }, undefined, 'not valid JSON', 'write the folder again'],
  ['no rows', {}, undefined, 'the server has no rows', 'write the folder again'],
])('is refused: %s', async (_, splits, split, problem, fix) => {
  const folder = server('broken', splits as Record<string, string>);
  const failure = await failureOf(writeRows({ folders: [{ folder }], split }, newFile()));
  expect(failure).toContain(problem);
  expect(failure).toContain(fix);
});

test('a folder for results is new or empty', async () => {
  const named = join(temp, 'out');
  const first = await outputFolder(named, 'shop');
  writeFileSync(first.rollouts, '');
  await first.discard();
  expect(await failureOf(outputFolder(named, 'shop'))).toContain('output folder is not empty');
});

test('a folder with only a log is removed', async () => {
  const output = await outputFolder(join(temp, 'a/b'), 'shop');
  writeFileSync(output.log, '');
  await output.discard();
  expect(await outputFolder(join(temp, 'a/b'), 'shop')).toMatchObject({ shown: join(temp, 'a/b') });
});

test('the default name gets a number if it exists', async () => {
  const before = process.cwd();
  process.chdir(temp);
  try {
    const names = [];
    for (let times = 0; times < 3; times += 1) names.push((await outputFolder(undefined, 'shop')).shown);
    expect(names).toEqual(['play-shop', 'play-shop-2', 'play-shop-3']);
  } finally {
    process.chdir(before);
  }
});
