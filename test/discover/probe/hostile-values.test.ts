// Values from a server, of a few bytes to a megabyte, that must not take much time or memory.

import { describe, expect, test } from 'vitest';
import { stepTool, WHOLE_ACTION } from '../../../src/discover/probe/action.js';
import { observationText } from '../../../src/discover/probe/observation-text.js';
import { minimalValue } from '../../../src/discover/probe/schema-values.js';
import { volatileFields } from '../../../src/discover/probe/volatile-fields.js';
import { LIMITS } from '../../../src/limits.js';

const wrapped = (depth: number, value: unknown) => Array.from({ length: depth }).reduce<unknown>((one) => [one], value);

describe('an observation', () => {
  test.each([30, 300])('of an array in %d arrays', { timeout: 10_000 }, (depth) => {
    const image = wrapped(depth, Array(1001).fill(1));
    const shape = [...Array(depth).fill(1), 1001].join('x');
    expect(observationText({ image })).toBe(`{"image":"[${shape} numbers, not shown]"}`);
  });

  test.each<[string, unknown, string]>([
    ['a ragged array', [[1], Array(1000).fill(1)], '1001'],
    ['a regular one', Array(2).fill(Array(501).fill(1)), '2x501'],
  ])('%s', (_, value, shape) => {
    expect(observationText({ value })).toBe(`{"value":"[${shape} numbers, not shown]"}`);
  });

  test('a long text keeps its start and end, in whole characters', { timeout: 10_000 }, () => {
    const text = observationText({ text: '😀'.repeat(5_000_000) });
    expect(text.startsWith('{"text":"😀😀')).toBe(true);
    expect(text).toContain('\n[4968011 characters left out here]\n😀');
    expect(text.isWellFormed()).toBe(true);
  });
});

test('nested volatile fields are compared once', { timeout: 10_000 }, () => {
  const nested = (end: string) =>
    Array.from({ length: 900 }).reduce<unknown>((run_id) => ({ run_id }), { run_id: end + 'x'.repeat(2_000_000) });
  expect([...volatileFields(nested('a'), nested('b'))]).toEqual(['run_id']);
  expect([...volatileFields(nested('a'), nested('a'))]).toEqual([]);
});

describe('a schema', () => {
  type Schema = Record<string, unknown>;
  const nest = (depth: number, wrap: (inner: Schema) => Schema) =>
    Array.from({ length: depth }).reduce<Schema>(wrap, { type: 'boolean' });

  test.each<[string, Schema]>([
    ['lists of lists of 64 items', nest(12, (items) => ({ type: 'array', minItems: 64, items }))],
    [
      'a field that is required 100 times, again and again',
      nest(20, (a) => {
        return { type: 'object', properties: { a }, required: Array(100).fill('a') };
      }),
    ],
    [
      '2,000 long fields',
      {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`f${n}`, { const: 'x'.repeat(100) }])),
        required: Array.from({ length: 2000 }, (_, n) => `f${n}`),
      },
    ],
  ])('%s: the minimal value is short, or there is none', { timeout: 10_000 }, (_, schema) => {
    expect(JSON.stringify(minimalValue(schema))?.length ?? 0).toBeLessThan(100_000);
  });

  const action = (schema: object) => () => stepTool(JSON.stringify(schema), WHOLE_ACTION);
  const chain = (length: number) => ({
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: Object.fromEntries(
      Array.from({ length }, (_, n) => [`d${n}`, n + 1 < length ? { $ref: `#/$defs/d${n + 1}` } : { type: 'null' }]),
    ),
  });

  test('the number of nested references is limited', () => {
    expect(action(chain(LIMITS.actionReferences))).not.toThrow();
    expect(action(chain(LIMITS.actionReferences + 1))).toThrow(/the limit is 64 \(actionReferences\)/);
    expect(action(chain(9000))).toThrow(/\(actionReferences\)/);
  });

  test('a long reference is resolved once', { timeout: 10_000 }, () => {
    const name = '~1'.repeat(200_000);
    const schema = {
      type: 'object',
      properties: { a: { anyOf: Array(4000).fill({ $ref: '#/$defs/b' }) } },
      $defs: { b: { $ref: `#/$defs/${name}` }, [name.replaceAll('~1', '/')]: { type: 'null' } },
    };
    expect(action(schema)).not.toThrow();
  });

  test('schemaBytes', () => {
    const of = (bytes: number) => ({ type: 'object', properties: { a: { const: 'x'.repeat(bytes) } } });
    expect(action(of(LIMITS.schemaBytes - 100))).not.toThrow();
    expect(action(of(LIMITS.schemaBytes))).toThrow(/\(schemaBytes\)/);
  });
});
