import { describe, expect, test } from 'vitest';
import { displayText, escapeJson, safeJson } from '../src/display-text.js';
import { BROKEN, escaped, everyCharacter } from './support/marker.js';

test.each([
  ['a\nb\r\tc', 'a\\nb\\r\\tc'],
  ['\0\x1b[2J\x7f\x9b', '\\u0000\\u001b[2J\\u007f\\u009b'],
  ['a\u202eb\u200b\ufeff\u2028', 'a\\u202eb\\u200b\\ufeff\\u2028'],
  ['\u{e0041}', '\\u{e0041}'],
  ['a\ud800b', 'a\\ud800b'],
  ['::error::x', ':\\u003aerror::x'],
  ['  ::error::x', '  :\\u003aerror::x'],
  ['\u3000::x', '\u3000:\\u003ax'],
  ['\ufe0f::x', '\ufe0f:\\u003ax'],
  [':\u034f:x', ':\u034f\\u003ax'],
  ['std::vector', 'std::vector'],
  ['a ##[error]b ###[x', 'a ##\\u005berror]b ###\\u005bx'],
  ['#\ufe0f#[x', '#\ufe0f#\\u005bx'],
  ['C:\\dir, "é", 日本 😀❤️', 'C:\\dir, "é", 日本 😀❤️'],
])('%j is shown as %s', (text, shown) => {
  expect(displayText(text)).toBe(shown);
  expect(displayText(shown)).toBe(shown);
});

test('every hidden character of Unicode is escaped', () => {
  for (const text of everyCharacter()) {
    expect(escaped(displayText(text))).toEqual([]);
    expect(displayText(text)).not.toContain('\n');
  }
});

test('text with every kind of hostile character becomes one line', () => {
  expect(escaped(displayText(BROKEN))).toEqual([]);
  expect(displayText(BROKEN)).not.toContain('\n');
});

describe('displayText takes linear time on repetitions of', () => {
  test.each(['#', '#\u034f', ':', ' ', '//', '//a', 'a:', '@', 'a@', '?a=', '?', '::', 'a:b@', '\u034f'])(
    '%j',
    { timeout: 120_000 }, // in quadratic time, it would take hours
    (piece) => {
      const text = piece.repeat(1_000_000 / piece.length);
      expect(displayText(text).length).toBeGreaterThan(0);
    },
  );
});

test.each([
  ['::', '":\\u003a"'],
  [':::', '":\\u003a:"'],
  ['::::', '":\\u003a:\\u003a"'],
  ['##[', '"##\\u005b"'],
  ['\x7f\u202e\u{e0041}', '"\\u007f\\u202e\\udb40\\udc41"'],
  ['a:b #[ é 日本 😀 \u00a0', '"a:b #[ é 日本 😀 \u00a0"'],
])('%j is written to JSON as %s', (value, json) => {
  expect(safeJson(value)).toBe(json);
  expect(JSON.parse(json)).toBe(value);
});

test('JSON with any character has no hidden ones, and parses to the same text', () => {
  for (const text of everyCharacter()) {
    expect(JSON.parse(safeJson(text))).toBe(text);
    expect(escaped(safeJson(text))).toEqual([]);
  }
});

test('JSON with hostile keys and values parses to the same document', () => {
  const value = { [BROKEN]: [BROKEN, { a: BROKEN }] };
  for (const indent of [undefined, 2]) {
    const json = safeJson(value, indent);
    expect(JSON.parse(json)).toEqual(value);
    expect(json).not.toMatch(/::|##\[/);
    expect(escaped(json)).toEqual([]);
  }
});

describe('existing JSON text', () => {
  test('is changed only in the characters that need an escape', () => {
    const json = '{ "b": 1.0, "1": 9223372036854775807, "a": "\\u0041\\/\u202e::" }';
    expect(escapeJson(json)).toBe('{ "b": 1.0, "1": 9223372036854775807, "a": "\\u0041\\/\\u202e:\\u003a" }');
  });

  test('without such characters is unchanged', () => {
    const json = '{"a": "b: c # [d] “é” 日本"}';
    expect(escapeJson(json)).toBe(json);
  });
});
