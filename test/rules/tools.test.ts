import { describe, expect, it } from 'vitest';
import { GYM_ROUTES, toolClash, toolDuplicates, toolJson, toolName } from '../../src/rules/index.js';
import { tool } from '../gym/discovery.js';

describe('tool names', () => {
  it.each(['calculate', 'end_turn', 'A-1_b', 'x'.repeat(64)])('takes %s', (name) => {
    expect(toolName(name)).toEqual([]);
  });

  it.each([
    ['a.b', 'tool-name', 'a.b=a_b'],
    ['', 'tool-name', '=my_tool'],
    ['x'.repeat(65), 'tool-name', `=${'x'.repeat(64)}`],
    ['a/b c.é', 'tool-name', "'a/b c.é=a_b_c'"],
    ['ng-rollout/1/x', 'tool-name', '=ng-rollout_1_x'],
    ['..', 'tool-name', '..=my_tool'],
    ['verify', 'tool-route', 'verify=verify_tool'],
    ['openapi.json', 'tool-name', 'openapi.json=openapi_json'],
    ['ng-rollout', 'tool-route', 'ng-rollout=ng-rollout_tool'],
  ])('refuses %j with a rename', (name, code, rename) => {
    const [finding, ...more] = toolName(name);
    expect(more).toEqual([]);
    expect(finding?.code).toBe(code);
    expect(finding?.fix).toContain(rename);
  });

  it('refuses every route that Gym posts to, and takes the names of those it gets', () => {
    for (const route of GYM_ROUTES) expect(toolName(route)).toHaveLength(1);
    for (const route of ['health', 'livez', 'stats', 'docs']) expect(toolName(route)).toEqual([]);
  });

  it('shows no control characters of a name', () => {
    expect(toolName('\u001b[31m\u202ex')[0]?.where).toBe("tool '\\u001b[31m\\u202ex'");
  });

  it('names the option that made a bad name', () => {
    expect(toolName('a b', 'ok')[0]?.where).toBe("tool 'ok', renamed 'a b'");
  });
});

describe('tool schemas', () => {
  it.each([
    ['{"type":["string","null"],"anyOf":[],"$ref":"#/x","properties":null}', []],
    [' {"_x":1}\n', []],
    ['[]', ['tool-parameters']],
    ['null', ['tool-parameters']],
    ['{"maximum":18446744073709551616}', ['tool-json']],
  ])('of %s says %j', (parameters, codes) => {
    expect(toolJson(tool('t', parameters)).map(({ code }) => code)).toEqual(codes);
  });

  it('refuses a lone surrogate in the description', () => {
    expect(toolJson(tool('t', '{}', '\ud800'))).toMatchObject([{ code: 'tool-description', where: "tool 't'" }]);
  });
});

describe('tools of a turn and of turns', () => {
  const own = (name: string): string => name;

  it('refuses two of one name, the server’s or a renamed one', () => {
    expect(toolDuplicates([tool('a'), tool('b'), tool('a')], own)).toMatchObject([
      { code: 'tool-duplicate', what: 'is there twice in one turn' },
    ]);
    const renamed = (name: string): string => (name === 'a.b' ? 'a_b' : name);
    const [finding] = toolDuplicates([tool('a_b'), tool('a.b')], renamed);
    expect(finding?.what).toContain("'a_b'");
    expect(finding?.fix).toContain('--rename-tool');
  });

  it.each([
    ['{"a":1,"b":[1,2]}', '{ "b": [1, 2], "a": 1 }', 0],
    ['{"a":1}', '{"a":2}', 1],
    ['{"a":1}', '{"a":1.0}', 1],
    ['{"a":9223372036854775807}', '{"a":9223372036854775806}', 1],
    ['{"a":[1,2]}', '{"a":[2,1]}', 1],
  ])('compares %s with %s', (first, later, findings) => {
    expect(toolClash('agent:x', tool('t', first), tool('t', later, 'Another text.'))).toHaveLength(findings);
  });
});
