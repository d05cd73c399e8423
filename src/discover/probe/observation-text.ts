import { stringify } from 'lossless-json';
import { isRecord } from '../../json/guards.js';

/**
 * The text of an observation for a model: compact JSON of limited length, without secrets and binary data. The
 * resources server has the same rules in Python (`openenv_bridge/observation_text.py`). `fixtures/observations.json` tests both.
 */

/** Maximum length of a text, in code points. */
const MAX_CHARACTERS = 32_000;
/** Code points kept from its end, which is the newest part if an environment repeats its history. */
const TAIL = 8000;
/** Maximum number of numbers in an array. A larger one is an image, or a vector. */
const MAX_NUMBERS = 1000;
/** Minimum length of base64. Shorter texts of the same characters are words, hashes and ids. */
const MIN_BASE64 = 200;
const MAX_DEPTH = 32;

/** Fields of an observation that are not shown. */
const NOT_SHOWN = new Set(['reward', 'done', 'metadata']);

/** Names of fields that are never shown, in lower case and without `_` and `-`: `expectedAnswer`, `ground-truth`. */
const SECRETS = new Set([
  'answerkey',
  'canonicalsolution',
  'correctanswer',
  'correctanswers',
  'correctsolution',
  'expectedanswer',
  'expectedanswers',
  'expectedsolution',
  'goldanswer',
  'goldanswers',
  'goldsolution',
  'groundtruth',
  'hiddenanswer',
  'hiddenword',
  'optimalsolution',
  'referenceanswer',
  'referencesolution',
  'secretanswer',
  'secretnumber',
  'secretword',
  'solution',
  'solutions',
  'targetanswer',
]);

/** Words in the names of fields that may be the answer, or a part of the task that the model needs. */
const DOUBTFUL = new Set(
  `answer answers correct expected gold golden hidden label labels optimal oracle secret secrets solution solutions target
  targets truth`.split(/\s+/),
);

/** @param observation parsed by lossless-json, which preserves the spelling of numbers */
export function observationText(observation: Record<string, unknown>): string {
  const shown = Object.fromEntries(Object.entries(observation).filter(([key]) => !NOT_SHOWN.has(key)));
  const cleaned = clean(shown, 1);
  return isEmpty(cleaned) ? '' : bounded(jsonOf(cleaned));
}

/** The text of one value of an observation: a string unchanged, anything else as JSON. "" if it is empty. */
export function valueText(value: unknown): string {
  const cleaned = clean(value, 1);
  if (isEmpty(cleaned)) return '';
  return bounded(typeof cleaned === 'string' ? cleaned : jsonOf(cleaned));
}

export function isSecret(key: string): boolean {
  return SECRETS.has(normalized(key));
}

/** Names of fields, at any depth, that are shown and may give the answer away. */
export function doubtfulFields(value: unknown, depth = 1, found = new Set<string>()): Set<string> {
  if (depth > MAX_DEPTH) return found;
  if (Array.isArray(value)) for (const item of value) doubtfulFields(item, depth + 1, found);
  if (!isRecord(value)) return found;
  for (const [key, item] of Object.entries(value)) {
    if ((depth === 1 && NOT_SHOWN.has(key)) || isEmpty(item) || isSecret(key)) continue;
    // Booleans, such as `correct`, judge the model's answer.
    if (typeof item !== 'boolean' && words(key).some((word) => DOUBTFUL.has(word))) found.add(key);
    else doubtfulFields(item, depth + 1, found);
  }
  return found;
}

function words(key: string): string[] {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

function normalized(key: string): string {
  return key.toLowerCase().replace(/[_-]/g, '');
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return withoutData(value);
  if (Array.isArray(value)) {
    const numbers = countNumbers(value);
    if (numbers > MAX_NUMBERS) return `[${shape(value)?.join('x') ?? numbers} numbers, not shown]`;
    return depth > MAX_DEPTH ? TOO_DEEP : value.map((item) => clean(item, depth + 1));
  }
  if (!isRecord(value)) return value;
  if (depth > MAX_DEPTH) return TOO_DEEP;
  const kept = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    if (isSecret(key)) return [];
    const cleaned = clean(item, depth + 1);
    return isEmpty(cleaned) ? [] : [[key, cleaned]];
  });
  return Object.fromEntries(kept);
}

const TOO_DEEP = '[nested deeper, not shown]';

function isEmpty(value: unknown): boolean {
  if (value === null || value === '' || value === undefined) return true;
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
}

/** The number of numbers in an array, at any depth; 0 if it contains anything else. */
function countNumbers(array: readonly unknown[]): number {
  let count = 0;
  for (const left: unknown[] = [array]; left.length > 0; ) {
    const value = left.pop();
    if (Array.isArray(value)) for (const item of value) left.push(item);
    else if (isNumber(value)) count += 1;
    else return 0;
  }
  return count;
}

/** The lengths of an array in each dimension, or null if it is not regular. Visits each value once, level by level. */
function shape(array: readonly unknown[]): number[] | null {
  const lengths: number[] = [];
  for (let level: unknown[][] = [[...array]]; ; ) {
    const { length } = level[0] as unknown[];
    if (level.some((one) => one.length !== length)) return null;
    lengths.push(length);
    const items = level.flat();
    const arrays = items.filter(Array.isArray);
    if (arrays.length === 0) return lengths;
    if (arrays.length < items.length) return null;
    level = arrays;
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'object' && value !== null && 'isLosslessNumber' in value);
}

/** A `data:` URL (RFC 2397), alone or in a longer text such as Markdown or HTML. */
const DATA_URL = /data:(?:[\w.+-]+\/[\w.+-]+)?(?:;[\w.+=-]*)*,[\w%+/=.~!*-]{200,}/gi;
/** Base64 in lines, as in MIME (RFC 2045, 6.8). */
const BASE64_LINES = /^(?:[A-Za-z0-9+/]{60,}\r?\n)+[A-Za-z0-9+/]*={0,2}\s*$/;

/** Replaces base64 and data URLs by notes. */
function withoutData(text: string): string {
  if (text.length < MIN_BASE64) return text;
  if (isBase64(text)) return `[base64, ${text.length} characters, not shown]`;
  return text.replace(DATA_URL, (url) => `[data URL, ${url.length} characters, not shown]`);
}

/** Data mixes cases and digits, unlike other long texts without spaces. */
function isBase64(text: string): boolean {
  const data = text.replace(/^data:[\w.+/;=-]*,/, '');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(data) && !BASE64_LINES.test(data)) return false;
  return /[a-z]/.test(data) && /[A-Z]/.test(data) && /\d/.test(data);
}

function jsonOf(value: unknown): string {
  return stringify(value) as string;
}

/** Leaves out the middle of a long text. */
function bounded(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const left = codePoints(text) - MAX_CHARACTERS;
  if (left <= 0) return text;
  // A code point has up to two UTF-16 units.
  const head = [...text.slice(0, 2 * (MAX_CHARACTERS - TAIL))].slice(0, MAX_CHARACTERS - TAIL).join('');
  const tail = [...text.slice(-2 * TAIL)].slice(-TAIL).join('');
  return `${head}\n[${left} characters left out here]\n${tail}`;
}

function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.codePointAt(at) as number) > 0xffff) at += 1;
    count += 1;
  }
  return count;
}
