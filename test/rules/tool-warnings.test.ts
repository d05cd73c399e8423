import { describe, expect, it } from 'vitest';
import { toolCount, toolSchema } from '../../src/rules/index.js';
import { tool } from '../gym/discovery.js';

const check = (schema: object) =>
  toolSchema(tool('t', JSON.stringify(schema))).map(({ code, severity, problem }) => ({ code, severity, problem }));
const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });

describe('warns about what a model API may reject:', () => {
  it.each<[string, object, string, RegExp]>([
    ['a top-level array', { type: 'array', items: {} }, 'schema-top-level', /type is "array", not "object"/],
    ['no top-level type', { properties: {} }, 'schema-top-level', /type is missing/],
    [
      'a top-level list of types',
      { type: ['object', 'null'], properties: {} },
      'schema-top-level',
      /\["object","null"\]/,
    ],
    ['a top-level anyOf', object({}, { anyOf: [object({})] }), 'schema-top-level', /has anyOf at the top level/],
    ['a top-level oneOf', object({}, { oneOf: [object({})] }), 'schema-top-level', /has oneOf/],
    ['a top-level allOf', object({}, { allOf: [object({})] }), 'schema-top-level', /has allOf/],
    ['an array without items', object({ a: { type: 'array' } }), 'schema-items', /'properties\.a' has no items/],
    [
      'a nested array without items',
      object({ a: { type: 'array', items: { type: ['array', 'null'] } } }),
      'schema-items',
      /a\.items/,
    ],
    ['a tuple without items', object({ a: { type: 'array', prefixItems: [{}] } }), 'schema-items', /properties\.a/],
    [
      'a property that is not a schema',
      object({ a: {}, type: 'object' }),
      'schema-property',
      /'properties\.type' is "object"/,
    ],
    [
      'a nested property that is not a schema',
      object({ a: object({ b: [] }) }),
      'schema-property',
      /a\.properties\.b' is \[\]/,
    ],
    [
      'properties that are not an object',
      { type: 'object', properties: [] },
      'schema-property',
      /'properties' is not an object/,
    ],
    ['null properties', { type: 'object', properties: null }, 'schema-property', /'properties' is not an object/],
    [
      'a reference to nothing',
      object({ a: { $ref: '#/$defs/Nope' } }),
      'schema-ref',
      /'properties\.a\.\$ref' refers to '#\/\$defs\/Nope'/,
    ],
    ['a reference out of the schema', object({ a: { $ref: 'https://x.test/a.json' } }), 'schema-ref', /https:/],
    ['required that is true', object({}, { required: true }), 'schema-required', /required: true/],
    ['a required name twice', object({ a: {} }, { required: ['a', 'a'] }), 'schema-required', /required: \["a","a"\]/],
    ['a top-level reference', object({}, { $ref: '#' }), 'schema-top-level', /has \$ref at the top level/],
    ['an empty enum', object({ a: { enum: [] } }), 'schema-keyword', /a\.enum' is \[\]/],
    ['an empty list of types', object({ a: { type: [] } }), 'schema-keyword', /a\.type' is \[\]/],
    ['a type twice', object({ a: { type: ['null', 'null'] } }), 'schema-keyword', /a\.type' is \["null","null"\]/],
    ['an invalid pattern', object({ a: { pattern: '(' } }), 'schema-keyword', /a\.pattern' is "\("/],
    ['a multiple of zero', object({ a: { multipleOf: 0 } }), 'schema-keyword', /a\.multipleOf' is 0/],
    ['required of a property', object({ a: { type: 'string', required: true } }), 'schema-required', /properties\.a/],
    ['a required name that is unknown', object({ a: {} }, { required: ['a', 'b'] }), 'schema-required', /requires 'b'/],
    [
      'a type that JSON does not have',
      object({ a: { type: 'str' } }),
      'schema-keyword',
      /'properties\.a\.type' is "str"/,
    ],
    ['an enum that is a text', object({ a: { enum: 'x' } }), 'schema-keyword', /properties\.a\.enum/],
    ['a nested anyOf that is not a list', object({ a: { anyOf: {} } }), 'schema-keyword', /not a list of schemas/],
    [
      'an exclusive minimum of an old draft',
      object({ a: { exclusiveMinimum: true } }),
      'schema-keyword',
      /not a number/,
    ],
    ['a property name that Anthropic refuses', object({ 'filter[x]': {} }), 'schema-property-name', /filter\[x\]/],
  ])('%s', (_, schema, code, problem) => {
    const found = check(schema);
    expect(found).toEqual([{ code, severity: 'warning', problem: expect.stringMatching(problem) }]);
  });

  it('a description of more than 1,024 characters', () => {
    const long = (length: number) => toolSchema(tool('t', undefined, '🥛'.repeat(length))).map(({ code }) => code);
    expect([long(1024), long(1025)]).toEqual([[], ['tool-description-length']]);
  });

  it('more than 128 tools', () => {
    expect(toolCount(128, "toolset 'a'")).toEqual([]);
    expect(toolCount(129, "toolset 'a'")).toMatchObject([{ code: 'tool-count', severity: 'warning' }]);
  });
});

it.each<[string, object]>([
  ['no parameters', object({})],
  [
    'everything that pydantic writes',
    object(
      {
        pts: { type: 'array', items: { $ref: '#/$defs/P' } },
        any: {},
        extra: { type: 'object', additionalProperties: true },
      },
      {
        $defs: {
          P: object({ x: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null } }, { required: ['x'] }),
        },
        required: ['pts'],
      },
    ),
  ],
  [
    'values that look like schemas',
    object({ a: { default: { type: 'array' }, enum: [{ $ref: '#/no' }], const: { required: true } } }),
  ],
  [
    'boolean schemas, escaped pointers, anchors and recursion',
    object(
      { a: true, b: { $ref: '#/$defs/a~1b' }, c: { $ref: '#here' }, d: { $ref: '#' } },
      { $defs: { 'a/b': { $anchor: 'here' } } },
    ),
  ],
  ['required in a nested choice', object({ a: { type: 'object', anyOf: [{ required: ['x'] }] } })],
])('accepts a schema with %s', (_, schema) => {
  expect(check(schema)).toEqual([]);
});

it('names the first problem of each code, and the number of others', () => {
  const found = check(object({ a: { type: 'array' }, b: { type: 'array' }, c: { type: 'array' } }));
  expect(found.map(({ problem }) => problem)).toEqual(["'properties.a' has no items (and 2 more)"]);
});

it('leaves invalid JSON to another rule', () => {
  expect(toolSchema(tool('t', '{"a":NaN}'))).toEqual([]);
});
