import { endOfString, QUOTE } from '../json/bounds.js';
import type { JsonText } from '../model.js';
import { LONE_SURROGATE } from './finding.js';

/** pydantic reads 200 levels and orjson writes 254. Gym nests a tool's schema in a row, a request and a rollout. */
const DEEPEST = 128;

/** The range of orjson's integers. It reads others as floats, and cannot write them. */
const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 64n - 1n;

/**
 * Why Gym could not read a JSON text or pass it on, or undefined if it can. Gym reads rows with orjson (nemo_gym/server_utils.py),
 * which is stricter than JSON. Numbers are checked in the text, since JSON.parse would change them.
 * @param outside levels of the row around the text
 */
export function jsonProblem(text: JsonText, outside = 0): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'is not valid JSON';
  }
  return valueProblem(text, value, outside)?.problem;
}

/** The problem of a valid JSON text. */
export interface JsonProblem {
  kind: 'depth' | 'surrogate' | 'number';
  problem: string;
}

/** As `jsonProblem`, of a text that was parsed already. */
export function valueProblem(text: JsonText, value: unknown, outside = 0): JsonProblem | undefined {
  const { numbers, depth } = scan(text);
  const deepest = DEEPEST - outside;
  if (depth > deepest) {
    return { kind: 'depth', problem: `is nested ${depth} levels deep; the limit is ${deepest}` };
  }
  if (mayHaveSurrogate(text) && !allWellFormed(value)) return { kind: 'surrogate', problem: LONE_SURROGATE };
  for (const number of numbers) {
    const problem = numberFault(number);
    if (problem !== undefined) return { kind: 'number', problem };
  }
  return undefined;
}

/** Without an escape of a surrogate, a well-formed text has well-formed strings. */
function mayHaveSurrogate(text: string): boolean {
  return /\\u[dD][89a-fA-F]/.test(text) || !text.isWellFormed();
}

function numberFault(number: string): string | undefined {
  const shown = number.length > 30 ? `${number.slice(0, 30)}…` : number;
  if (/[.eE]/.test(number)) {
    return Number.isFinite(Number(number)) ? undefined : `has ${shown}, which is not a finite number`;
  }
  // Every 64-bit integer has up to 20 digits, and BigInt is slow with very many.
  const value = number.length > 21 ? undefined : BigInt(number);
  if (value !== undefined && value >= SMALLEST && value <= LARGEST) return undefined;
  return `has ${shown}, which does not fit into 64 bits`;
}

/** The different numbers of valid JSON, as they are spelled, and its depth. */
function scan(text: string): { numbers: Set<string>; depth: number } {
  const numbers = new Set<string>();
  const number = /-?\d[\d.eE+-]*/y;
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x7d || code === 0x5d) depth -= 1;
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      number.lastIndex = at;
      const found = (number.exec(text) as RegExpExecArray)[0];
      numbers.add(found);
      at += found.length - 1;
    }
  }
  return { numbers, depth: deepest };
}

/** Not recursive, because JSON of a server can have any depth. */
function allWellFormed(root: unknown): boolean {
  const left = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') {
      if (!value.isWellFormed()) return false;
    } else if (Array.isArray(value)) {
      for (const item of value) left.push(item);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) left.push(key, item);
    }
  }
  return true;
}
