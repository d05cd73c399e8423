import { describe, expect, test } from 'vitest';
import { type ActionOptions, stepTool } from '../../../src/discover/probe/action.js';
import { failureOf } from '../../support/failure-of.js';

const NONE: ActionOptions = { hide: [], fix: {} };
const METADATA = { type: 'object', additionalProperties: true };

function parameters(schema: object | string, options: Partial<ActionOptions> = {}): unknown {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema);
  return JSON.parse(stepTool(text, { ...NONE, ...options }).parameters);
}

const fields = (properties: object, more: object = {}) => ({
  type: 'object',
  properties: { ...properties, metadata: METADATA },
  ...more,
});

describe('the tool of an action', () => {
  test("has the action's schema without metadata, and its description", () => {
    const schema = fields(
      { action: { type: 'integer' } },
      { description: ' 0 = noop\n1 = left ', required: ['action'], additionalProperties: false },
    );
    expect(stepTool(JSON.stringify(schema), NONE)).toEqual({
      name: 'step',
      description: '0 = noop\n1 = left',
      parameters:
        '{"type":"object","additionalProperties":false,"properties":{"action":{"type":"integer"}},"required":["action"]}',
    });
    expect(stepTool(JSON.stringify(schema), { ...NONE, doc: 'Turn.' }).description).toBe('Turn.');
  });

  test('keeps the spelling of numbers', () => {
    const { parameters } = stepTool(
      '{"type":"object","properties":{"n":{"maximum":9223372036854775807,"default":1.0}}}',
      NONE,
    );
    expect(parameters).toContain('"maximum":9223372036854775807,"default":1.0');
  });

  test('has no references, and keeps the keywords beside them', () => {
    const schema = fields(
      {
        move: { $ref: '#/$defs/Move', description: 'where to' },
        all: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/Move' }, { type: 'null' }] } },
      },
      { $defs: { Move: { enum: ['UP', 'DOWN'], title: 'Move', description: 'a move' } } },
    );
    const move = { enum: ['UP', 'DOWN'], title: 'Move' };
    expect(parameters(schema)).toEqual({
      type: 'object',
      properties: {
        move: { ...move, description: 'where to' },
        all: { type: 'array', items: { anyOf: [{ ...move, description: 'a move' }, { type: 'null' }] } },
      },
    });
  });

  test('keeps recursive references, with the definitions', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } };
    const found = parameters(fields({ first: { $ref: '#/$defs/Node' } }, { $defs: { Node: node } }));
    expect(found).toMatchObject({ properties: { first: node }, $defs: { Node: node } });
  });

  test('lacks hidden and fixed fields', () => {
    const schema = fields({ a: { type: 'string' }, b: { default: 1 }, c: {} }, { required: ['a', 'c'] });
    const found = parameters(schema, { hide: ['b'], fix: { c: '{"x":1}' } });
    expect(found).toEqual({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] });
  });

  test('may have fixed metadata, and must if the action requires metadata', async () => {
    const schema = fields({ x: {}, metadata: { type: 'object' } }, { required: ['x', 'metadata'] });
    expect(parameters(schema, { fix: { metadata: '{}' } })).toEqual({
      type: 'object',
      properties: { x: {} },
      required: ['x'],
    });
    expect(await failureOf((async () => parameters(schema))())).toMatch(
      /requires metadata[\s\S]*--fix-field 'metadata=\{\}'/,
    );
  });

  test.each([
    [{ type: 'integer' }, '"hello"', /--fix-field n="hello": the value must be integer/],
    [{ type: 'integer' }, '1.5', /must be integer/],
    [{ type: 'integer', minimum: 1 }, '0', /must be 1 or more/],
    [{ type: 'string' }, '3', /must be string/],
    [{ enum: ['up', 'down'] }, '"left"', /must be "up" or "down"/],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, '"x"', /must be integer/],
    [{ type: 'array', items: { type: 'integer' } }, '[1,"x"]', /must be integer at 1/],
    [{ type: 'object', required: ['x'], properties: { x: {} } }, '{}', /must have x/],
  ])('refuses to fix a field of %j to %s', async (schema, value, message) => {
    expect(await failureOf((async () => parameters(fields({ n: schema }), { fix: { n: value } }))())).toMatch(message);
  });

  test.each([
    [{ type: 'integer' }, '"3"'],
    [{ type: 'integer' }, '3.0'],
    [{ type: 'boolean' }, '1'],
    [{ type: 'number' }, 'true'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'null'],
    [{ type: 'string', format: 'date' }, '"x"'],
    [{}, '[1]'],
    [true, '1'],
  ])('fixes a field of %j to %s, which pydantic may take', (schema, value) => {
    expect(parameters(fields({ n: schema, a: {} }), { fix: { n: value } })).toMatchObject({ properties: { a: {} } });
  });

  const bad: [string, object | string, Partial<ActionOptions>, RegExp][] = [
    [
      'an option hides an unknown field',
      fields({ a: {} }),
      { hide: ['b'] },
      /--hide-field b: the action has no such field[\s\S]*choose from: a$/m,
    ],
    [
      'an option fixes an unknown field',
      fields({ a: {} }),
      { fix: { b: '1' } },
      /--fix-field b: the action has no such field/,
    ],
    [
      'a hidden field is required',
      fields({ a: {} }, { required: ['a'] }),
      { hide: ['a'] },
      /the field is required[\s\S]*--fix-field a=/,
    ],
    ['it has no fields', { type: 'object' }, {}, /has no fields/],
    ['it is not an object', '[]', {}, /is not an object/],
    ['a reference has no target', fields({ a: { $ref: '#/$defs/A' } }), {}, /unknown reference: '#\/\$defs\/A'/],
    ['a reference is external', fields({ a: { $ref: 'https://x.test/a' } }), {}, /unknown reference: 'https:/],
    ['it is nested too deeply', `{"a":${'['.repeat(500)}${']'.repeat(500)}}`, {}, /nested 501 levels deep/],
    ['its references multiply', billion(), {}, /too large/],
  ];
  test.each(bad)('is refused if %s', async (_, schema, options, message) => {
    expect(await failureOf((async () => parameters(schema, options))())).toMatch(message);
  });
});

/** Ten definitions that each name the next ten times. */
function billion(): object {
  const items = (next: number) => Array.from({ length: 10 }, () => ({ $ref: `#/$defs/D${next}` }));
  const $defs = Object.fromEntries(
    Array.from({ length: 10 }, (_, at) => [`D${at}`, at === 9 ? {} : { anyOf: items(at + 1) }]),
  );
  return fields({ a: { $ref: '#/$defs/D0' } }, { $defs });
}
