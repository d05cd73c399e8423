import { expect, test } from 'vitest';
import { minimalValue } from '../../../src/discover/probe/schema-values.js';

const object = (properties: object, required: string[]) => ({ type: 'object', properties, required });

test.each<[unknown, unknown]>([
  [{ const: 'call' }, 'call'],
  [{ enum: ['UP', 'DOWN'] }, 'UP'],
  [{ type: 'integer', default: 3 }, 3],
  [{ type: 'boolean' }, false],
  [{ type: 'integer' }, 0],
  [{ type: 'integer', minimum: 2, maximum: 5 }, 2],
  [{ type: 'number', maximum: -1 }, -1],
  [{ type: 'string' }, ''],
  [{ type: ['string', 'null'] }, ''],
  [{ anyOf: [{ type: 'null' }, { type: 'integer' }] }, 0],
  [{ type: 'array', items: { type: 'number' }, minItems: 2 }, [0, 0]],
  [{ type: 'array' }, []],
  [object({ a: { type: 'integer' }, b: { type: 'string' } }, ['a']), { a: 0 }],
  [{ type: 'object' }, {}],
])('the minimal value of %j is %j', (schema, value) => {
  expect(minimalValue(schema)).toEqual({ value });
});

test.each<unknown>([
  {},
  null,
  true,
  { $ref: '#/$defs/A' },
  { type: 'string', pattern: '^a' },
  { type: 'string', format: 'uri' },
  { type: 'string', minLength: 1 },
  { type: 'number', exclusiveMinimum: 0 },
  { type: 'integer', minimum: 3, multipleOf: 2 },
  { type: 'integer', minimum: 2, maximum: 1 },
  { type: 'array', minItems: 1 },
  { type: 'array', minItems: 1e9, items: { type: 'integer' } },
  object({ a: {} }, ['a']),
])('%j has no minimal value', (schema) => {
  expect(minimalValue(schema)).toBeNull();
});
