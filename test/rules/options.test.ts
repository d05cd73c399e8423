import { describe, expect, it } from 'vitest';
import {
  configHeaders,
  configSize,
  configText,
  configUrl,
  datasetSplits,
  exampleRows,
  LICENSES,
  license,
  renames,
  renamesUnmatched,
  renameTaken,
  settings,
} from '../../src/rules/index.js';

const codes = (findings: { code: string }[]): string[] => findings.map(({ code }) => code);

describe('config texts', () => {
  it.each([
    ['http://127.0.0.1:8000', []],
    ['https://host/base', []],
    ['https://host/base?x=1', ['config-url']],
    ['http://h/ws?token=abc#x', ['config-url']],
    ['http://h/#token', ['config-url']],
    ['http://h/?', ['config-url']],
    ['ws://[::1]:80/ws', []],
    ['127.0.0.1:8000', ['config-url']],
    ['ftp://host', ['config-url']],
    ['', ['config-url']],
    ['http://user:secret@host', ['config-url']],
  ])('of the url %j says %j', (url, expected) => {
    expect(codes(configUrl(url))).toEqual(expected);
  });

  it('tells of ??? and of lone surrogates', () => {
    expect(codes(configText('x', '???'))).toEqual(['config-missing']);
    expect(codes(configText('x', '\udfff'))).toEqual(['config-text']);
    expect(configText('x', '????')).toEqual([]);
  });

  it.each([
    [{ Authorization: 'Bearer $HF_TOKEN', 'X-A': '' }, []],
    [{ 'a b': 'x' }, ['config-header']],
    [{ '': 'x' }, ['config-header']],
    [{ A: 'x\r\nB: y' }, ['config-header']],
    [{ 'Sec-WebSocket-Key': 'x' }, ['config-header']],
    [{ a: 'x', A: 'y' }, ['config-header']],
    [{ A: '???' }, ['config-missing']],
  ])('of the headers %j says %j', (headers, expected) => {
    expect(codes(configHeaders(headers))).toEqual(expected);
  });

  it('bounds the whole', () => {
    expect(configSize('x'.repeat(112 * 1024))).toEqual([]);
    expect(codes(configSize('é'.repeat(60 * 1024)))).toEqual(['config-size']);
  });
});

describe('datasets', () => {
  it.each(LICENSES)('takes the license %s', (name) => {
    expect(license(name)).toEqual([]);
  });

  it.each([
    ['Apache-2.0', 'Apache 2.0'],
    ['mit', 'MIT'],
    ['CC-BY-4.0', 'Creative Commons Attribution 4.0 International'],
    ['GPL-3.0-only', 'GNU General Public License v3.0'],
    ['Proprietary', '"TBD"'],
    ['constructor', '"TBD"'],
  ])('refuses %s with %s', (name, better) => {
    expect(license(name)[0]?.fix).toContain(better);
  });

  it('wants splits that are written, and five rows', () => {
    const datasets = { train: 'train', validation: 'nope', license: 'MIT' };
    expect(datasetSplits(datasets, ['train', 'eval'])).toMatchObject([
      { code: 'dataset-split', where: "--datasets 'validation=nope'", fix: "name one of: 'train' 'eval'" },
    ]);
    expect(codes(exampleRows('train', 4))).toEqual(['dataset-example']);
    expect(exampleRows('train', 5)).toEqual([]);
  });
});

describe('renames', () => {
  it('refuses one new name for two tools, and ??? as an old one', () => {
    expect(codes(renames({ a: 'x', b: 'x', c: 'y' }))).toEqual(['rename-collision']);
    expect(codes(renames({ '???': 'x' }))).toEqual(['config-missing']);
  });

  it('refuses the name of another tool of the server, but not a swap', () => {
    expect(codes(renameTaken('b', { a: 'b' }))).toEqual(['rename-taken']);
    expect(renameTaken('b', { a: 'b', b: 'a' })).toEqual([]);
    expect(renameTaken('c', { a: 'b' })).toEqual([]);
  });

  it('refuses one that renames nothing, naming what there is', () => {
    expect(renamesUnmatched({ a: 'b', c: 'd' }, new Set(['c', 'e']))).toMatchObject([
      { code: 'rename-unmatched', fix: "leave it out, or name one of: 'c' 'e'" },
    ]);
  });
});

it.each([
  [{}, []],
  [{ tool_timeout: 0.5, reset_timeout: 600, max_steps: 4, max_concurrent_envs: 8, reward: 'solve' }, []],
  [{ tool_timeout: 0 }, ['setting-value']],
  [{ tool_timeout: '60' }, ['setting-value']],
  [{ idle_timeout: Number.NaN }, ['setting-value']],
  [{ reset_timeout: Number.POSITIVE_INFINITY }, ['setting-value']],
  [{ max_steps: 1.5, max_concurrent_envs: -1 }, ['setting-value', 'setting-value']],
  [{ reward: '' }, ['setting-value']],
  [{ reward: 3 }, ['setting-value']],
  [{ reward_rule: 'max' }, []],
  [{ reward_rule: 'total' }, ['setting-value']],
  [{ reward: 'solve', reward_rule: 'final' }, []],
  [{ reward: 'solve', reward_rule: 'sum' }, ['setting-value']],
])('of the settings %j says %j', (values, expected) => {
  expect(codes(settings(values, (key) => `--${key}`))).toEqual(expected);
});
