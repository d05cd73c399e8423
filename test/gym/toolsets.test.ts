import { expect, it } from 'vitest';
import { gymTools, ToolsetTexts } from '../../src/gym/toolsets.js';
import { Findings } from '../../src/rules/index.js';
import { options, tool, toolset } from './discovery.js';

it('keeps the spelling of a schema', () => {
  const parameters = '{"type":"object","properties":{"a":{"maximum":9223372036854775807,"default":1.0}},"_x":null}';
  const { tools, findings } = gymTools(toolset([[tool('t', parameters, 'A "b" \\')]]), {});
  expect(tools).toEqual([
    `{"type":"function","name":"t","description":"A \\"b\\" \\\\","parameters":${parameters},"strict":false}`,
  ]);
  expect(findings).toEqual([]);
});

it.each([
  ['{}', '{"type":"object","properties":{}}'],
  [' { } ', '{"type":"object","properties":{}}'],
  ['{"type":"object"}', '{"type":"object","properties":{}}'],
  [
    '{"additionalProperties":false, "type":"object","x":1.0}',
    '{"type":"object","properties":{},"additionalProperties":false,"x":1.0}',
  ],
  ['{"anyOf":[{}]}', '{"type":"object","properties":{},"anyOf":[{}]}'],
  ['{ "properties": {} }', '{ "properties": {} }'],
  ['{"type":"array","items":{}}', '{"type":"array","items":{}}'],
  [
    '{"type":"object","properties":{"a":{"type":"object"},"b":{}}}',
    '{"type":"object","properties":{"a":{"type":"object"},"b":{}}}',
  ],
  ['{"type":"object","properties":null}', '{"type":"object","properties":null}'],
])('the parameters %s become %s: only the top level is normalized', (parameters, expected) => {
  const [text] = gymTools(toolset([[tool('t', parameters)]]), {}).tools;
  expect(text).toContain(`"parameters":${expected},"strict"`);
});

it('accepts two spellings of "no parameters" in one toolset', () => {
  const { findings } = gymTools(toolset([[tool('t', '{}')], [tool('t', '{"type":"object","properties":{}}')]]), {});
  expect(findings).toEqual([]);
});

it('warns about what model APIs may refuse', () => {
  const many = Array.from({ length: 129 }, (_, at) => tool(`t${at}`));
  const { findings } = gymTools(toolset([[...many, tool('list', '{"type":"array"}')]]), {});
  expect(findings.map(({ code, severity }) => [code, severity])).toEqual([
    ['schema-top-level', 'warning'],
    ['schema-items', 'warning'],
    ['tool-count', 'warning'],
  ]);
});

it('writes one line for any text', () => {
  const parameters = '{\r\n  "description": "a\u2028b\u0085c"\n}\n';
  const [text] = gymTools(toolset([[tool('t', parameters, 'd\u2029\n')]]), {}).tools;
  expect(text).not.toMatch(/[\r\n\u0085\u2028\u2029]/);
  expect(JSON.parse(text as string)).toMatchObject({
    description: 'd\u2029\n',
    parameters: { description: 'a\u2028b\u0085c' },
  });
});

it('has each tool of all turns once, in order', () => {
  const turns = [[tool('a'), tool('end')], [tool('b'), tool('a', undefined, 'In other words.')], [tool('end')]];
  const texts = gymTools(toolset(turns), { a: 'first' });
  expect(texts.tools.map((text) => JSON.parse(text).name)).toEqual(['first', 'end', 'b']);
  expect(JSON.parse(texts.tools[0] as string).description).toBe('Runs a.');
  expect(texts.turns).toEqual([['first', 'end'], ['b', 'first'], ['end']]);
  expect(texts.findings).toEqual([]);
});

it('reports all problems of a toolset', () => {
  const turns = [[tool('verify'), tool('a.b'), tool('a_b')], [tool('a_b', '{"x":1}')], [tool('n', '{"x":NaN}')]];
  const codes = gymTools(toolset(turns), { 'a.b': 'a_b' }).findings.map(({ code }) => code);
  expect(codes.sort()).toEqual(['rename-taken', 'tool-clash', 'tool-duplicate', 'tool-json', 'tool-route']);
});

it('encodes a toolset once', () => {
  const texts = new ToolsetTexts(options(), new Findings());
  const solver = toolset([[tool('a')]]);
  expect(texts.json(solver)).toBe(texts.json(solver));
  expect(JSON.parse(texts.json(toolset([[]])))).toEqual([]);
});

it('has no path of the serving machine in toolsets.json', () => {
  const texts = new ToolsetTexts(options(), new Findings());
  const key = 'task:@local/srv/envs/gridsim-v1/day-1';
  const file = texts.file([toolset([[tool('a')], []], key), toolset([[]])]);
  expect(file).not.toContain('/srv/');
  expect(JSON.parse(file)).toEqual({
    format: 1,
    toolsets: [
      {
        key: 'task:@local/gridsim-v1/day-1',
        tasks: [{ split: 'train', index: 0, id: '@local/gridsim-v1/day-0' }],
        turns: [['a'], []],
        tools: [JSON.parse(texts.json(toolset([[tool('a')]])))[0]],
      },
      expect.objectContaining({ turns: [[]], tools: [] }),
    ],
  });
  expect(JSON.parse(texts.file([]))).toEqual({ format: 1, toolsets: [] });
});
