import { describe, expect, test } from 'vitest';
import { LineCounter } from 'yaml';
import { LIMITS } from '../src/limits.js';
import { yamlDocument, yamlValues } from '../src/read-yaml.js';

const { configBytes, configKeys, configDepth, configAliases } = LIMITS;
const read = (text: string) => () => {
  const document = yamlDocument(text, 'a file');
  return document.errors[0]?.message ?? yamlValues(document, 'a file');
};
const many = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

describe.each<[string, (count: number) => string]>([
  ['keys', (count) => many(count, (at) => `k${at}: 1\n`)],
  ['items', (count) => many(count, () => '- 1\n')],
  ['members in braces', (count) => `{${many(count - 1, (at) => `k${at},`)}}`],
])('%s', (_, make) => {
  test('are bounded by configKeys', { timeout: 10_000 }, () => {
    expect(read(make(configKeys))).not.toThrow();
    expect(read(make(configKeys + 1))).toThrow(/the limit is 5,000 \(configKeys\)/);
  });
});

test.each<[string, (depth: number) => string]>([
  ['lists on a line', (depth) => `${'- '.repeat(depth)}1`],
  ['open brackets', (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`],
])('%s are bounded by configDepth', (_, make) => {
  expect(read(make(configDepth))).not.toThrow();
  expect(read(make(configDepth + 1))).toThrow(/the limit is 100 \(configDepth\)/);
});

test('bytes are bounded by configBytes', () => {
  const text = (bytes: number) => `a: ${'é'.repeat((bytes - 4) / 2)}b`;
  expect(read(text(configBytes))).not.toThrow();
  expect(read(text(configBytes + 2))).toThrow(/the limit is 256 KiB \(configBytes\)/);
});

describe('aliases', () => {
  test('may repeat up to the limit of values', () => {
    const text = (count: number) => `a: &a x\nb: [${Array(count).fill('*a').join(',')}]\n`;
    expect(read(text(configAliases - 1))).not.toThrow();
    expect(read(text(configAliases + 1))).toThrow(/the limit is 1,000 \(configAliases\)/);
  });

  test.each([
    [
      'of lists',
      (at: number) =>
        `a${at}: &a${at} [${Array(9)
          .fill(`*a${at - 1}`)
          .join(', ')}]\n`,
    ],
    [
      'of merged maps',
      (at: number) =>
        `a${at}: &a${at}\n  <<: [${Array(9)
          .fill(`*a${at - 1}`)
          .join(', ')}]\n`,
    ],
  ])('that grow exponentially are refused: %s', (_, line) => {
    const text = `a0: &a0 {x: 1}\n${many(12, (at) => line(at + 1))}`;
    const document = yamlDocument(text, 'a file', { version: '1.1' });
    expect(() => yamlValues(document, 'a file')).toThrow(/\(configAliases\)/);
  });

  test('without an anchor are invalid YAML', () => {
    expect(read('a: *b\n')).toThrow(/invalid YAML: Unresolved alias/);
  });
});

describe('an error of the parser is reported with its line', () => {
  const failure = (text: string) => {
    const lineCounter = new LineCounter();
    try {
      yamlValues(yamlDocument(text, 'a.yaml', { lineCounter, version: '1.1' }), 'a.yaml', lineCounter);
    } catch (error) {
      return error;
    }
  };

  test('too many aliases', () => {
    const text = `a: &a [1]\n${many(1001, (at) => `k${at}: *a\n`)}`;
    expect(failure(text)).toMatchObject({ name: 'OverLimit', where: 'a.yaml:1002:8' });
  });

  test('an alias without an anchor', () => {
    expect(failure('a: 1\nb: *none\n')).toMatchObject({ name: 'UserError', where: 'a.yaml:2:4' });
  });

  test.each(['a: &a 1\nb:\n  <<: *a\n', 'a:\n  <<: [1]\n', '<<: x\n'])(
    'a merge of a value that is not a map: %j',
    (text) => {
      expect(failure(text)).toMatchObject({ name: 'UserError', message: expect.stringContaining('invalid YAML: ') });
    },
  );
});
