import { endOfString, QUOTE } from '../json/bounds.js';
import { wellFormed } from './finding.js';

/**
 * pydantic's JSON parser reads 200 levels and orjson writes 254, and Gym wraps a tool's schema in the row, its request and
 * its rollout.
 */
const DEEPEST = 128;

/** What orjson keeps as an integer; beyond it becomes a float when read and is refused when written. */
const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 64n - 1n;

/**
 * Why Gym couldn't read a JSON text or pass it on, or undefined where it can. Gym reads rows with orjson
 * (nemo_gym/server_utils.py), whose limits are narrower than JSON's; the text is looked at as it is, since JSON.parse would
 * hide what a number was.
 */
export function jsonFault(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'is not JSON';
  }
  const { numbers, depth } = scan(text);
  if (depth > DEEPEST) return `is nested ${depth} levels deep, more than ${DEEPEST}`;
  if (!allWellFormed(value)) return 'has a lone surrogate, which is no UTF-8';
  for (const number of numbers) {
    const fault = numberFault(number);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function numberFault(number: string): string | undefined {
  const shown = number.length > 30 ? `${number.slice(0, 30)}…` : number;
  if (/[.eE]/.test(number))
    return Number.isFinite(Number(number)) ? undefined : `has ${shown}, which is no finite number`;
  // 20 digits hold every 64-bit integer, and BigInt of a million digits would take its time
  const value = number.length > 21 ? undefined : BigInt(number);
  if (value !== undefined && value >= SMALLEST && value <= LARGEST) return undefined;
  return `has ${shown}, more than an integer of 64 bits`;
}

/** The numbers as they are spelt, each once, and how deep a valid JSON text goes. */
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

/** Not recursive: how deep a server's JSON goes is the server's choice. */
function allWellFormed(root: unknown): boolean {
  const left = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') {
      if (!wellFormed(value)) return false;
    } else if (Array.isArray(value)) {
      for (const item of value) left.push(item);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) left.push(key, item);
    }
  }
  return true;
}
