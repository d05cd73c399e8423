import { stringify } from 'lossless-json';
import { isRecord } from '../json/guards.js';

/**
 * What a model reads of an observation: compact JSON, without what is not for its eyes, bounded. The resources server has
 * the same rules in Python (`openenv_bridge/observation_text.py`); `fixtures/observations.json` is what both are tested with.
 */

/** Characters (code points) of a text, at most. */
const LONGEST = 32_000;
/** How many of these are its end, which is the newest where an environment repeats its history. */
const TAIL = 8000;
/** Numbers of an array that are shown; a larger one is an image, or a vector that no model reads. */
const MOST_NUMBERS = 1000;
/** Shorter texts of these characters are words, hashes and ids. */
const LEAST_BASE64 = 200;
const DEEPEST = 32;

/** What the environment says apart from what it shows. */
const APART = new Set(['reward', 'done', 'metadata']);

/** What a model must not read at any time, whatever else it is called with: `expectedAnswer`, `ground-truth`. */
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

/** Words in the names of fields that may be the answer, or a part of the task that the model has to see. */
const DOUBTFUL = new Set(
  `answer answers correct expected gold golden hidden label labels optimal oracle secret secrets solution solutions target
  targets truth`.split(/\s+/),
);

/** @param observation as lossless-json reads it, so that its numbers stay as they were spelt */
export function observationText(observation: Record<string, unknown>): string {
  const shown = Object.fromEntries(Object.entries(observation).filter(([key]) => !APART.has(key)));
  const cleaned = clean(shown, 1);
  return isEmpty(cleaned) ? '' : bounded(jsonOf(cleaned));
}

/** One value of an observation: a text as it is, anything else as JSON. "" where there is nothing. */
export function valueText(value: unknown): string {
  const cleaned = clean(value, 1);
  if (isEmpty(cleaned)) return '';
  return bounded(typeof cleaned === 'string' ? cleaned : jsonOf(cleaned));
}

export function isSecret(key: string): boolean {
  return SECRETS.has(plain(key));
}

/** Names of shown fields, at any depth, that may give the answer away, without `isSecret`'s: these are never shown. */
export function doubtfulFields(value: unknown, depth = 1, found = new Set<string>()): Set<string> {
  if (depth > DEEPEST) return found;
  if (Array.isArray(value)) for (const item of value) doubtfulFields(item, depth + 1, found);
  if (!isRecord(value)) return found;
  for (const [key, item] of Object.entries(value)) {
    if ((depth === 1 && APART.has(key)) || isEmpty(item) || isSecret(key)) continue;
    // Whether an answer was correct is what the environment has to say.
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

function plain(key: string): string {
  return key.toLowerCase().replace(/[_-]/g, '');
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return withoutData(value);
  if (Array.isArray(value)) {
    const numbers = countNumbers(value);
    if (numbers > MOST_NUMBERS) return `[${shape(value)?.join('x') ?? numbers} numbers, not shown]`;
    return depth > DEEPEST ? TOO_DEEP : value.map((item) => clean(item, depth + 1));
  }
  if (!isRecord(value)) return value;
  if (depth > DEEPEST) return TOO_DEEP;
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

/** How many numbers an array of numbers has, at any depth; 0 where it has anything else. */
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

/** The lengths of an array in each dimension, or null if it is not regular. Level by level: each value is seen once. */
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

/** A `data:` URL, alone or in a longer text such as Markdown or HTML (RFC 2397). */
const DATA_URL = /data:(?:[\w.+-]+\/[\w.+-]+)?(?:;[\w.+=-]*)*,[\w%+/=.~!*-]{200,}/gi;
/** Base64 in lines, as MIME has it (RFC 2045, 6.8). */
const BASE64_LINES = /^(?:[A-Za-z0-9+/]{60,}\r?\n)+[A-Za-z0-9+/]*={0,2}\s*$/;

/** A text with a note in place of data that no model reads. */
function withoutData(text: string): string {
  if (text.length < LEAST_BASE64) return text;
  if (isBase64(text)) return `[base64, ${text.length} characters, not shown]`;
  return text.replace(DATA_URL, (url) => `[data URL, ${url.length} characters, not shown]`);
}

/** Of data, which mixes cases and digits as no long text without a blank does. */
function isBase64(text: string): boolean {
  const data = text.replace(/^data:[\w.+/;=-]*,/, '');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(data) && !BASE64_LINES.test(data)) return false;
  return /[a-z]/.test(data) && /[A-Z]/.test(data) && /\d/.test(data);
}

function jsonOf(value: unknown): string {
  return stringify(value) as string;
}

function bounded(text: string): string {
  if (text.length <= LONGEST) return text;
  const left = codePoints(text) - LONGEST;
  if (left <= 0) return text;
  // A code point has up to two units.
  const head = [...text.slice(0, 2 * (LONGEST - TAIL))].slice(0, LONGEST - TAIL).join('');
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
