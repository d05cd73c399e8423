import { describe, expect, test } from 'vitest';
import { JsonString, parseJson } from '../../src/json/json-string.js';

const long = (text: string) => text.padEnd(1100, 'x');

/** The value as JSON.parse would return it. */
function decoded(value: unknown): unknown {
  if (value instanceof JsonString) return value.toString();
  if (Array.isArray(value)) return value.map(decoded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decoded(member)]));
}

/** What a parser returns, or the name of its error. */
function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    return (error as Error).name;
  }
}

describe('a long string', () => {
  test('is kept in raw form, and decoded on demand', () => {
    const text = long('"Preis": 1 €\n\t\\ 日本 “q”');
    const [kept] = parseJson(Buffer.from(JSON.stringify([text]))) as [JsonString];
    expect(kept).toBeInstanceOf(JsonString);
    expect(`${kept}`).toBe(text);
    expect(kept.data.toString('utf8', kept.start, kept.end)).toBe(JSON.stringify(text));
    expect(JSON.stringify({ kept })).toBe(JSON.stringify({ kept: text }));
  });

  test.each([
    ['needless escapes', `"${long('\\u0041')}"`],
    ['an escaped slash', `"${long('a\\/b')}"`],
    ['an unescaped U+2028', `"${long('a\u2028b')}"`],
    ['an unescaped U+2029', `"${long('a\u2029b')}"`],
    ['an unescaped U+0085', `"${long('a\u0085b')}"`],
    ['an unescaped hidden character', `"${long('a\u202eb')}"`],
    ['a workflow command', `"${long('a\\n::error::b')}"`],
    ['a lone surrogate', `"${long('\\ud800')}"`],
  ])('is decoded at once if JSON.stringify would write it differently: %s', (_, json) => {
    expect(parseJson(Buffer.from(json))).toBe(JSON.parse(json));
  });

  test('is kept in raw form anywhere except in keys', () => {
    const value = { [long('key')]: [[long('a')], { b: long('b'), c: 1 }], d: long('d') };
    const parsed = parseJson(Buffer.from(JSON.stringify(value))) as Record<string, unknown>;
    expect(parsed.d).toBeInstanceOf(JsonString);
    expect(decoded(parsed.d)).toBe(value.d);
    expect(decoded(Object.values(parsed)[0])).toEqual(Object.values(value)[0]);
  });
});

test('short strings are decoded at once', () => {
  expect(parseJson(Buffer.from('["a","\\u0000","#"]'))).toEqual(['a', '\0', '#']);
});

test('invalid UTF-8 is a syntax error', () => {
  expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(SyntaxError);
});

test('any text gives the same value or error as with JSON.parse', () => {
  const text = JSON.stringify({
    tasks: [
      { id: 'a"\\', index: 1e3, prompt: long('p\n"q"\\\\') },
      { prompt: long('é'), nested: [[null, true, ''], {}] },
    ],
  });
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  const pieces = ['"', '\\', '\\u00', '\n', '{', '}', ',', ':', 'x', '\\"', '\u2028', '', '\\ud800', '[', '0'];
  let refused = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const at = random(text.length);
    const changed = text.slice(0, at) + pieces[random(pieces.length)] + text.slice(at + random(4));
    const ours = outcome(() => decoded(parseJson(Buffer.from(changed))));
    const theirs = outcome(() => JSON.parse(changed));
    expect(ours, changed).toEqual(theirs);
    if (theirs === 'SyntaxError') refused += 1;
  }
  expect(refused).toBeGreaterThan(2000);
});
