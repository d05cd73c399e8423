import { describe, expect, test } from 'vitest';
import { JsonString, parseJson } from '../src/json/json-string.js';

const long = (text: string) => text.padEnd(1100, 'x');

/** All of it decoded, as JSON.parse would have it. */
function decoded(value: unknown): unknown {
  if (value instanceof JsonString) return value.toString();
  if (Array.isArray(value)) return value.map(decoded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decoded(member)]));
}

/** What a parser makes of a text: its value, or that it is none. */
function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    return (error as Error).name;
  }
}

describe('a long string', () => {
  test('is kept as it came, and decoded when it is asked for', () => {
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
    ['U+2028 as it is', `"${long('a\u2028b')}"`],
    ['U+2029 as it is', `"${long('a\u2029b')}"`],
    ['U+0085 as it is', `"${long('a\u0085b')}"`],
    ['a hidden character as it is', `"${long('a\u202eb')}"`],
    ['a workflow command', `"${long('a\\n::error::b')}"`],
    ['a lone surrogate', `"${long('\\ud800')}"`],
  ])('that JSON.stringify would spell otherwise is an ordinary one: %s', (_, json) => {
    expect(parseJson(Buffer.from(json))).toBe(JSON.parse(json));
  });

  test('is kept wherever it is, but for keys', () => {
    const value = { [long('key')]: [[long('a')], { b: long('b'), c: 1 }], d: long('d') };
    const parsed = parseJson(Buffer.from(JSON.stringify(value))) as Record<string, unknown>;
    expect(parsed.d).toBeInstanceOf(JsonString);
    expect(decoded(parsed.d)).toBe(value.d);
    expect(decoded(Object.values(parsed)[0])).toEqual(Object.values(value)[0]);
  });
});

test('short strings are ordinary ones', () => {
  expect(parseJson(Buffer.from('["a","\\u0000","#"]'))).toEqual(['a', '\0', '#']);
});

test('what is no UTF-8 is refused', () => {
  expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(SyntaxError);
});

test('all else is read and refused as by JSON.parse', () => {
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
