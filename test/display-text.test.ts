import { describe, expect, test } from 'vitest';
import { displayText } from '../src/display-text.js';
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

test('the marker is one line', () => {
  expect(escaped(displayText(BROKEN))).toEqual([]);
  expect(displayText(BROKEN)).not.toContain('\n');
});

describe('takes time in proportion to the text', () => {
  test.each(['#', '#\u034f', ':', ' ', '//', '//a', 'a:', '@', 'a@', '?a=', '?', '::', 'a:b@', '\u034f'])(
    '%j',
    { timeout: 120_000 }, // in proportion to the square, it would take hours
    (piece) => {
      const text = piece.repeat(1_000_000 / piece.length);
      expect(displayText(text).length).toBeGreaterThan(0);
    },
  );
});
