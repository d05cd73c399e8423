import { describe, expect, it } from 'vitest';
import {
  GYM_ROUTES,
  toolClash,
  toolDescription,
  toolDuplicates,
  toolName,
  toolParameters,
} from '../../src/rules/index.js';
import { tool } from '../gym/discovery.js';

describe('tool names', () => {
  it.each(['calculate', 'end_turn', 'A-1_b', 'x'.repeat(64)])('accepts %s', (name) => {
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
  ])('refuses %j (%s) and suggests the rename %s', (name, code, rename) => {
    const [finding, ...more] = toolName(name);
    expect(more).toEqual([]);
    expect(finding?.code).toBe(code);
    expect(finding?.fix).toContain(rename);
  });

  it('refuses the names of POST routes, but not of GET routes', () => {
    for (const route of GYM_ROUTES) expect(toolName(route)).toHaveLength(1);
    for (const route of ['health', 'livez', 'stats', 'docs']) expect(toolName(route)).toEqual([]);
  });

  it('escapes control characters of a name', () => {
    expect(toolName('\u001b[31m\u202ex')[0]?.subject).toBe("tool '\\u001b[31m\\u202ex'");
  });

  it("names the server's tool if its new name is invalid", () => {
    expect(toolName('a b', 'ok')[0]?.subject).toBe("tool 'ok', renamed 'a b'");
  });
});

describe('tool schemas', () => {
  it.each([
    ['{"type":["string","null"],"anyOf":[],"$ref":"#/x","properties":null}', []],
    [' {"_x":1}\n', []],
    ['[]', ['tool-parameters']],
    ['null', ['tool-parameters']],
    ['{"maximum":18446744073709551616}', ['tool-json']],
  ])('findings for %s: %j', (parameters, codes) => {
    expect(toolParameters(tool('t', parameters)).map(({ code }) => code)).toEqual(codes);
  });

  it('refuses a lone surrogate in the description', () => {
    expect(toolDescription(tool('t', '{}', '\ud800'))).toMatchObject([
      { code: 'tool-description', subject: "tool 't'" },
    ]);
  });
});

describe('tools of a turn and of turns', () => {
  const own = (name: string): string => name;

  it('refuses two tools with one name, the server’s or a new one', () => {
    expect(toolDuplicates([tool('a'), tool('b'), tool('a')], own)).toMatchObject([
      { code: 'tool-duplicate', problem: 'is listed twice' },
    ]);
    const renamed = (name: string): string => (name === 'a.b' ? 'a_b' : name);
    const [finding] = toolDuplicates([tool('a_b'), tool('a.b')], renamed);
    expect(finding?.problem).toContain("'a_b'");
    expect(finding?.fix).toContain('--rename-tool');
  });

  it.each([
    ['{"a":1,"b":[1,2]}', '{ "b": [1, 2], "a": 1 }', 0],
    ['{"a":1}', '{"a":2}', 1],
    ['{"a":1}', '{"a":1.0}', 1],
    ['{"a":9223372036854775807}', '{"a":9223372036854775806}', 1],
    ['{"a":[1,2]}', '{"a":[2,1]}', 1],
  ])('the parameters %s and %s: %i findings', (first, later, findings) => {
    expect(toolClash('agent:x', tool('t', first), tool('t', later, 'Another text.'))).toHaveLength(findings);
  });
});
