// The findings of `gymgen trainer axolotl`, compared with what axolotl 0.21.0's own loader does to the same files.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkFile, type DataFinding } from '../../src/trainers/axolotl/file-check.js';
import { tempFolder } from '../e2e/support/gymgen.js';
import { AXOLOTL, axolotl } from './support/axolotl.js';

const signal = new AbortController().signal;
const folder = tempFolder();

interface Loaded {
  error: string | null;
  kept: number;
  tools: number[];
  others: number[];
}

type Row = Record<string, unknown>;

/** Each row gets a number, by which the oracle finds it again. */
function fileOf(rows: readonly (Row | string)[], number: number): string {
  const file = join(folder, `${number}.jsonl`);
  const text = rows.map((row, line) => (typeof row === 'string' ? row : JSON.stringify({ line: `l${line}`, ...row })));
  writeFileSync(file, `${text.join('\n')}\n`);
  return file;
}

async function loaded(files: string[]): Promise<Loaded[]> {
  return JSON.parse((await axolotl('axolotl_loader.py', ...files)).stdout);
}

const check = (path: string) => checkFile({ split: 'train', path }, { agent: 'agent', signal });

/** What the findings say that the loader does. */
function predicted(rows: number, findings: readonly DataFinding[]): Loaded | 'error' {
  const count = (code: string) => findings.find((each) => each.code === code)?.rows.count ?? 0;
  const lines = (code: string) => findings.find((each) => each.code === code)?.rows.first ?? [];
  if (findings.some(({ isFatal, code }) => isFatal && code !== 'axolotl-no-agent')) return 'error';
  const lost = count('axolotl-equal-messages') + count('axolotl-text-input');
  return { error: null, kept: rows - lost, tools: lines('axolotl-tools'), others: lines('axolotl-null') };
}

async function expectSame(all: readonly (readonly (Row | string)[])[]): Promise<void> {
  const files = all.map(fileOf);
  const real = await loaded(files);
  for (const [at, file] of files.entries()) {
    const { facts, findings } = await check(file);
    const expected = real[at]?.error ? 'error' : real[at];
    expect(
      predicted(facts.rows, findings),
      `${JSON.stringify(all[at])}\n${JSON.stringify([real[at], findings])}`,
    ).toEqual(expected);
  }
}

const agent_ref = { type: 'responses_api_agents', name: 'agent' };
const tool = (name: string, properties: object, more: object = {}) => ({
  type: 'function',
  name,
  strict: false,
  parameters: { type: 'object', properties, ...more },
});
const row = (input: unknown, tools: unknown[] = [], more: Row = {}): Row => ({
  responses_create_params: { input, tools },
  agent_ref,
  ...more,
});
const user = (content: unknown) => [{ role: 'user', content }];

describe.skipIf(!AXOLOTL)('the findings are what the loader does, for', () => {
  test('files made by hand', () =>
    expectSame([
      [row(user('a')), row(user('b'))],
      [row(user('a')), row(user('a')), row(user('b'))],
      [row('one'), row('two'), row('three')],
      [row('only')],
      [row('text'), row(user('list'))],
      [row(user([{ type: 'input_text', text: 'a' }]))],
      [row(user('a')), row(user([{ type: 'input_text', text: 'a' }]))],
      [row([{ role: 'system', content: 's' }, ...user('a')]), row([{ role: 'system', content: 's' }])],
      [row([{ role: 'system', content: 's' }]), row([{ role: 'system', content: 's' }])],
      [
        row(user('')),
        row([
          { role: 'user', content: '' },
          { role: 'assistant', content: 'x' },
        ]),
      ],
      [
        row(user('a'), [tool('one', { x: { type: 'string' } })]),
        row(user('b'), [tool('one', { x: { type: 'string' } })]),
      ],
      [row(user('a'), [tool('one', { x: { type: 'string' } }), tool('two', { y: { type: 'string' } })])],
      [row(user('a'), [tool('one', { x: { type: 'string' } })]), row(user('b'), [])],
      [row(user('a'), [tool('one', {})]), row(user('b'), [tool('two', { y: {} })])],
      [row(user('a'), [tool('one', { x: { default: 1 } })]), row(user('b'), [tool('one', { x: { default: 'text' } })])],
      [row(user('a'), [tool('one', { x: { type: ['string', 'null'] }, y: { type: 'string' } })])],
      [
        row(user('a'), [tool('one', { x: { type: ['string', 'null'] } })]),
        row(user('b'), [tool('t', { x: { type: 'null' } })]),
      ],
      [row(user('a'), [tool('one', { x: { enum: [1, 'a'] } })])],
      [row(user('a'), [tool('one', { x: { maximum: 1 } })]), row(user('b'), [tool('one', { x: { maximum: 0.5 } })])],
      [
        row(user('a'), [tool('one', {}, { additionalProperties: false })]),
        row(user('b'), [tool('t', {}, { additionalProperties: {} })]),
      ],
      [row(user('a'), [], { reset: { seed: 1 } }), row(user('b'), [], { reset: { level: 'x' } })],
      [row(user('a'), [], { reset: { seed: 1 } }), row(user('b'), [], { reset: { seed: 'x' } })],
      [row(user('a')), { ...row(user('b')), responses_create_params: { input: user('b'), max_output_tokens: 5 } }],
      [row(user('a')), row([{ role: 'user', content: 'b', type: 'message' }])],
      [row(user('a')), '', row(user('b'))],
      [row(user('a')), '   '],
      [row(user('a')), '{"responses_create_params": '],
      [row(user('a')), '[1]'],
      [row(user('a')), { ...row(user('b')), agent_ref: null }],
    ]));

  const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>('text', 'more', 1, 0.5, true, null),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 2 }),
    ),
  })).value;
  const anyRow = fc.record({
    input: fc.oneof(
      fc.constantFrom('', 'text', 'other'),
      fc.constantFrom('a', 'b', 'c', 'd', '').map(user),
      fc
        .tuple(fc.constantFrom('system', 'user'), fc.constantFrom('a', 'b'))
        .map(([role, content]) => [{ role, content }]),
    ),
    tools: fc.array(
      fc.record({
        name: fc.constantFrom('x', 'y'),
        parameters: fc.dictionary(fc.constantFrom('p', 'q'), value, { maxKeys: 2 }),
      }),
      { maxLength: 2 },
    ),
    more: fc.oneof(
      { weight: 3, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('m', 'n'), value, { maxKeys: 1 }) },
    ),
  });

  test('2,000 random files', () =>
    expectSame(
      fc
        .sample(fc.array(anyRow, { minLength: 1, maxLength: 5 }), { numRuns: 2000, seed: 21 })
        .map((rows) =>
          rows.map(({ input, tools, more }) => ({ responses_create_params: { input, tools, ...more }, agent_ref })),
        ),
    ));
});
