import { describe, expect, test } from 'vitest';
import type { TaskSelection } from '../../../src/discover/index.js';
import type { ProvidedTask } from '../../../src/discover/provided/provided-tasks.js';
import { tasksFile } from '../../../src/discover/provided/tasks-file.js';
import { failureOf } from '../../support/failure-of.js';
import { fileOf, jsonl } from '../../support/provided.js';

const ALL: TaskSelection = { splits: [], limit: Number.POSITIVE_INFINITY };

async function read(file: string, options = ALL): Promise<{ splits: string[]; tasks: Partial<ProvidedTask>[] }> {
  const provided = await tasksFile(file, options);
  const tasks: Partial<ProvidedTask>[] = [];
  for (const { name } of provided.splits) {
    for await (const page of provided.tasks(name)) {
      for (const { where: _, ...task } of page as (ProvidedTask & { where: string })[]) tasks.push(task);
    }
  }
  return { splits: provided.splits.map(({ name, count }) => `${name}: ${count}`), tasks };
}

describe('a line', () => {
  test('has the arguments of a reset, or reset with these arguments and keys of the row', async () => {
    const file = jsonl(
      { seed: 1, size: 2 },
      { reset: { seed: 2, prompt: 'an argument' }, prompt: 'Do it.', system_prompt: 'You do it.', id: 'second' },
      { reset: {}, split: 'eval', id: 7, prompt: null },
    );
    expect(await read(file)).toEqual({
      splits: ['train: 2', 'eval: 1'],
      tasks: [
        { split: 'train', index: 0, id: 'train-0', reset: '{"seed":1,"size":2}' },
        {
          split: 'train',
          index: 1,
          id: 'second',
          reset: '{"seed":2,"prompt":"an argument"}',
          prompt: 'Do it.',
          systemPrompt: 'You do it.',
        },
        { split: 'eval', index: 0, id: '7', reset: '{}' },
      ],
    });
  });

  test('keeps the spelling of numbers', async () => {
    const file = fileOf('tasks.jsonl', '{"seed":9223372036854775807,"temperature":1.0,"10":1,"9":2}\n');
    expect((await read(file)).tasks[0]?.reset).toBe('{"seed":9223372036854775807,"temperature":1.0,"10":1,"9":2}');
  });

  const bad: [string, string, RegExp][] = [
    ['invalid JSON', '{"seed":', /tasks\.jsonl:2: not valid JSON/],
    ['a list', '[1]', /tasks\.jsonl:2: not an object/],
    ['a reset that is not an object', '{"reset":1}', /:2: reset is not an object/],
    ['an argument next to reset', '{"reset":{},"seed":1}', /:2: 'seed' next to reset/],
    ['a prompt that is not a string', '{"prompt":1}', /:2: prompt is not a string/],
    ['an empty prompt', '{"prompt":""}', /:2: prompt is empty/],
    ['an id that is not a string', '{"id":[]}', /:2: id is not a string/],
    ['a duplicate id', '{"id":"train-0"}', /:2: duplicate id 'train-0'/],
    [
      'a reset that is too deep for a row',
      `{"reset":${'{"a":'.repeat(128)}1${'}'.repeat(128)}}`,
      /:2: reset is nested 128 levels deep; the limit is 127/,
    ],
    ['a number that Gym cannot hold', '{"seed":1e999}', /:2: reset has 1e999, which is not a finite number/],
  ];
  test.each(bad)('with %s is reported with its file and line', async (_, line, message) => {
    expect(await failureOf(read(fileOf('tasks.jsonl', `{}\n${line}\n`)))).toMatch(message);
  });

  test('is reported together with other invalid lines', async () => {
    const failure = await failureOf(read(fileOf('tasks.jsonl', '1\n{}\n\n2\n')));
    expect(failure).toMatch(/tasks\.jsonl:1: [\s\S]*tasks\.jsonl:4: /);
  });
});

describe('a file', () => {
  test('of lines may have a byte order mark, CR LF, blank lines and no final line end', async () => {
    expect((await read(fileOf('t.JSONL', '\ufeff{"a":1}\r\n\r\n{"a":2}'))).tasks.map(({ reset }) => reset)).toEqual([
      '{"a":1}',
      '{"a":2}',
    ]);
  });

  test('of JSON is a list', async () => {
    const file = fileOf('tasks.json', '[\n {"reset": {"a":\n 1.0}},\n {"seed": 2}\n]');
    expect((await read(file)).tasks.map(({ reset }) => reset)).toEqual(['{"a":\n 1.0}', '{"seed":2}']);
    expect(await failureOf(read(fileOf('tasks.json', '[{}, 3]')))).toMatch(/tasks\.json, item 2: not an object/);
    expect(await failureOf(read(fileOf('tasks.json', '{}')))).toMatch(/not a list of tasks/);
  });

  test('of CSV has JSON values, except in string columns', async () => {
    const file = fileOf(
      'tasks.csv',
      'id,seed,name,options,prompt,empty\n1,007,"a ""b"", c","{""deep"": [1.0]}",12,\n2,3,true,,"two\nlines",\n',
    );
    expect((await read(file)).tasks).toMatchObject([
      { id: '1', reset: '{"seed":"007","name":"a \\"b\\", c","options":{"deep": [1.0]}}', prompt: '12' },
      { id: '2', reset: '{"seed":3,"name":true}', prompt: 'two\nlines' },
    ]);
    const uneven = await failureOf(read(fileOf('tasks.csv', 'a,b\n1\n')));
    expect(uneven).toMatch(/not valid CSV: Invalid Record Length[\s\S]*tasks\.csv/);
  });

  const EXPORTS: [string, string][] = [
    ['commas', 'prompt,word\nSag grüße,été\n'],
    ['semicolons', 'prompt;word\r\nSag grüße;été\r\n'],
    ['vertical bars', 'prompt|word\nSag grüße|été\n'],
    ['tabs', 'prompt\tword\nSag grüße\tété\n'],
    ['a separator for Excel', 'sep=;\r\nprompt;word\r\nSag grüße;été\r\n'],
    ['CR line ends', 'prompt;word\rSag grüße;été\r'],
    ['a byte order mark', '\ufeffprompt,word\nSag grüße,été'],
    ['a byte order mark and semicolons', '\ufeffprompt;word\r\nSag grüße;été'],
    ['spaces around the names', ' prompt , word \nSag grüße,été\n'],
    ['quoted names', '\ufeff"prompt";"word"\n"Sag grüße";"été"\n'],
    ['empty rows at the end', 'prompt,word\nSag grüße,été\n,\n,\n'],
  ];
  test.each(EXPORTS)('of CSV with %s is read', async (_, text) => {
    expect((await read(fileOf('tasks.csv', text))).tasks).toMatchObject([
      { prompt: 'Sag grüße', reset: '{"word":"été"}', split: 'train' },
    ]);
  });

  test('of CSV keeps separators in cells and quoted names', async () => {
    const { tasks } = await read(fileOf('tasks.csv', '"a;b",c\n1;2,"3,4"\n'));
    expect(tasks[0]?.reset).toBe('{"a;b":"1;2","c":"3,4"}');
  });

  test.each([
    ['an empty name', 'a,,b\n1,2,3\n', /^invalid column names[\s\S]*column 2 has no name[\s\S]*tasks\.csv:1\n/],
    ['a blank name', 'a, \n1,2\n', /column 2 has no name/],
    ['a repeated name', 'seed,a, seed\n1,2,3\n', /several columns are called 'seed'/],
    ['a repeated name below a separator', 'sep=;\na;a\n1;2\n', /called 'a'[\s\S]*tasks\.csv:2\n/],
  ])('of CSV with %s is refused', async (_, text, message) => {
    expect(await failureOf(read(fileOf('tasks.csv', text)))).toMatch(message);
  });

  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  test.each<[string, string, Buffer, RegExp]>([
    [
      'Windows-1252',
      'tasks.csv',
      latin1('prompt,word\na,b\nSag gr\xfc\xdfe,x\n'),
      /^line is not UTF-8\nat: .*tasks\.csv:3\n/,
    ],
    ['Windows-1252', 'tasks.csv', latin1('pr\xfcfung,word\n'), /^line is not UTF-8\nat: .*tasks\.csv:1\n/],
    ['Windows-1252', 'tasks.jsonl', latin1('{"a":1}\n\n{"a":"\xfc"}\n'), /^line is not UTF-8\nat: .*tasks\.jsonl:3\n/],
    ['Windows-1252', 'tasks.json', latin1('[\n{"a":"\xfc"}]'), /^line is not UTF-8\nat: .*tasks\.json:2\n/],
    ['UTF-16', 'tasks.csv', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), /^file is UTF-16, not UTF-8/],
    ['UTF-16', 'tasks.jsonl', Buffer.from('\ufeff{"a":1}\n', 'utf16le'), /^file is UTF-16, not UTF-8/],
    ['UTF-16 without a mark', 'tasks.csv', Buffer.from('a,b\n1,2\n', 'utf16le'), /NUL character/],
  ])('in %s called %s is refused, with the line', async (_, name, bytes, message) => {
    expect(await failureOf(read(fileOf(name, bytes)))).toMatch(message);
  });

  test('of CSV with a late line that is not UTF-8 is refused, with the line', async () => {
    const rows = Array.from({ length: 50_000 }, (_, at) => `${at},"two\nlines"\n`).join('');
    const bytes = Buffer.concat([Buffer.from(`a,b\n${rows}`), latin1('1,\xe9\n')]);
    expect(await failureOf(read(fileOf('tasks.csv', bytes)))).toMatch(/tasks\.csv:100002\n/);
  });

  test('of JSON may have a byte order mark', async () => {
    expect((await read(fileOf('tasks.json', '\ufeff[{"a":1}]'))).tasks).toHaveLength(1);
  });

  test('is read for the selected splits, up to the limit', async () => {
    const file = jsonl({ split: 'a', n: 0 }, { split: 'b', n: 1 }, { split: 'a', n: 2 }, { split: 'a', n: 3 });
    const { splits, tasks } = await read(file, { splits: ['a'], limit: 2 });
    expect(splits).toEqual(['a: 2']);
    expect(tasks.map(({ reset }) => reset)).toEqual(['{"n":0}', '{"n":2}']);
    expect(await failureOf(read(file, { ...ALL, splits: ['c'] }))).toMatch(/no such split: 'c'[\s\S]*a, b/);
  });

  const unreadable: [string, () => string, RegExp][] = [
    ['does not exist', () => '/nowhere/tasks.jsonl', /no such tasks file[\s\S]*at: \/nowhere/],
    ['has another format', () => fileOf('tasks.yaml', ''), /unknown tasks file format[\s\S]*\.jsonl, \.csv or \.json/],
    ['has no tasks', () => fileOf('tasks.jsonl', '\n'), /has no tasks/],
    ['is not UTF-8', () => fileOf('tasks.jsonl', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d, 10])), /is not UTF-8/],
  ];
  test.each(unreadable)('that %s is refused', async (_, file, message) => {
    expect(await failureOf(read(file()))).toMatch(message);
  });

  test('of 100,000 lines is read without holding all in memory', async () => {
    const lines = Array.from({ length: 100_000 }, (_, seed) => `{"seed":${seed},"prompt":"${'x'.repeat(100)}"}\n`);
    const { splits } = await tasksFile(fileOf('tasks.jsonl', lines.join('')), ALL);
    expect(splits).toEqual([{ name: 'train', count: 100_000 }]);
  });
});
