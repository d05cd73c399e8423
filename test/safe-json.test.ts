import { describe, expect, test } from 'vitest';
import { escapeJson, safeJson } from '../src/display-text.js';
import { BROKEN, escaped, everyCharacter } from './support/marker.js';

test.each([
  ['::', '":\\u003a"'],
  [':::', '":\\u003a:"'],
  ['::::', '":\\u003a:\\u003a"'],
  ['##[', '"##\\u005b"'],
  ['\x7f\u202e\u{e0041}', '"\\u007f\\u202e\\udb40\\udc41"'],
  ['a:b #[ é 日本 😀 \u00a0', '"a:b #[ é 日本 😀 \u00a0"'],
])('%j is written as %s', (value, json) => {
  expect(safeJson(value)).toBe(json);
  expect(JSON.parse(json)).toBe(value);
});

test('every character is read back, and none of those written is hidden', () => {
  for (const text of everyCharacter()) {
    expect(JSON.parse(safeJson(text))).toBe(text);
    expect(escaped(safeJson(text))).toEqual([]);
  }
});

test('keys and values of a document are read back', () => {
  const value = { [BROKEN]: [BROKEN, { a: BROKEN }] };
  for (const indent of [undefined, 2]) {
    const json = safeJson(value, indent);
    expect(JSON.parse(json)).toEqual(value);
    expect(json).not.toMatch(/::|##\[/);
    expect(escaped(json)).toEqual([]);
  }
});

describe('JSON text', () => {
  test('keeps its spelling otherwise', () => {
    const json = '{ "b": 1.0, "1": 9223372036854775807, "a": "\\u0041\\/\u202e::" }';
    expect(escapeJson(json)).toBe('{ "b": 1.0, "1": 9223372036854775807, "a": "\\u0041\\/\\u202e:\\u003a" }');
  });

  test('without such characters is the same text', () => {
    const json = '{"a": "b: c # [d] “é” 日本"}';
    expect(escapeJson(json)).toBe(json);
  });
});
