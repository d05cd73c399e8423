import { describe, expect, test } from 'vitest';
import { safeJson } from '../../src/display-text.js';
import { longStrings } from '../../src/json/long-strings.js';

const LONG = 64;

/** Finds the same strings, character by character. */
function plainly(json: string): number[] {
  const places: number[] = [];
  const bytes = (end: number) => Buffer.byteLength(json.slice(0, end));
  for (const match of json.matchAll(/"(?:[^"\\]|\\.)*"/gs)) {
    const [text] = match;
    const isUsual = safeJson(JSON.parse(text)) === text;
    const [start, end] = [bytes(match.index), bytes(match.index + text.length)];
    if (isUsual && end - start >= LONG) places.push(start, end);
  }
  return places;
}

/** Pseudo-random whole numbers below a bound, the same in each run. */
function randomly(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

const USUAL = [
  'x',
  ' ',
  '\\"',
  '\\\\',
  '\\n',
  '\\t',
  '\\b',
  '\\f',
  '\\r',
  'é',
  '€',
  '“',
  '日',
  '😀',
  '\u00a0',
  '\u2027',
  'ش',
  ':',
  '#',
  ' [',
];
const UNUSUAL = [
  '\\/',
  '\\u0041',
  '\\u000a',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u202e',
  '\ufeff',
  '\u{e0041}',
  '::',
  '##[',
];

/** A JSON list of strings, some of which have a part that JSON.stringify would spell differently. */
function strings(random: (below: number) => number, count: number): string {
  const all = Array.from({ length: count }, () => {
    const pieces = Array.from({ length: random(3 * LONG) }, () => USUAL[random(USUAL.length)] as string);
    if (random(3) === 0) pieces[random(pieces.length + 1)] = UNUSUAL[random(UNUSUAL.length)] as string;
    return `"${pieces.join('')}"`;
  });
  return `[${all.join(',')}]`;
}

test('are found where a plain reader finds them', () => {
  const random = randomly(1);
  let found = 0;
  for (let round = 0; round < 500; round += 1) {
    const json = strings(random, 20);
    const places = longStrings(Buffer.from(json), LONG);
    expect(places, json).toEqual(plainly(json));
    found += places.length / 2;
  }
  expect(found).toBeGreaterThan(3000);
});

describe('an unusual byte', () => {
  test.each([...UNUSUAL, '\\x', '\\ud800', '\n', '\u001f'])('is found at any position: %j', (piece) => {
    for (let place = 0; place < 40; place += 1) {
      const json = Buffer.from(`"${'z'.repeat(place + LONG)}${piece}z","${'z'.repeat(LONG)}"`);
      const start = json.length - LONG - 2;
      expect(longStrings(json, LONG)).toEqual([start, json.length]);
    }
  });

  test('is found in every character that safeJson escapes', () => {
    for (let point = 0x7f; point < 0x110000; point += 1) {
      const character = String.fromCodePoint(point);
      if ((point >= 0xd800 && point < 0xe000) || safeJson(character) === `"${character}"`) continue;
      const json = Buffer.from(`"${'z'.repeat(LONG + (point % 16))}${character}"`);
      expect(longStrings(json, LONG), point.toString(16)).toEqual([]);
    }
  });

  test('does not affect other strings', () => {
    const json = Buffer.from(`"\u2028","${'z'.repeat(LONG)}","\\/"`);
    expect(longStrings(json, LONG)).toEqual([6, LONG + 8]);
  });
});

test('the length limit counts the bytes of a string with its quotes', () => {
  const of = (length: number) => longStrings(Buffer.from(`"${'z'.repeat(length - 2)}"`), LONG);
  expect(of(LONG - 1)).toEqual([]);
  expect(of(LONG)).toEqual([0, LONG]);
});
