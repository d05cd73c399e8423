import { LIMITS } from '../limits.js';

/** A JSON text of this length or less cannot exceed `jsonValues`: each value or key has a separator beside it. */
const FEW = 2 * LIMITS.jsonValues;

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The limit that a JSON text exceeds, found in one pass before it is parsed: JSON.parse of a few megabytes can take
 * gigabytes. For invalid JSON, the result is arbitrary.
 * @param json UTF-8
 */
export function exceededLimit(
  json: Uint8Array,
  deepest: number = LIMITS.jsonDepth,
): 'jsonValues' | 'jsonDepth' | undefined {
  let values = 0;
  let depth = 0;
  let inScalar = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] as number;
    if (byte === QUOTE) {
      values += 1;
      for (at += 1; at < json.length && json[at] !== QUOTE; at += 1) if (json[at] === BACKSLASH) at += 1;
      inScalar = false;
    } else if (byte === 0x5b || byte === 0x7b) {
      values += 1;
      depth += 1;
      if (depth > deepest) return 'jsonDepth';
      inScalar = false;
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1;
      inScalar = false;
    } else if (byte === 0x2c || byte === 0x3a || byte <= 0x20) {
      inScalar = false;
    } else if (!inScalar) {
      values += 1; // the first character of a number, true, false or null
      inScalar = true;
    }
    if (values > LIMITS.jsonValues) return 'jsonValues';
  }
  return undefined;
}

/** Whether a JSON text has more values and keys than the limit, at any depth. Short texts are not scanned. */
export function hasTooManyValues(json: Uint8Array | string): boolean {
  if (json.length <= FEW) return false;
  const bytes = typeof json === 'string' ? Buffer.from(json) : json;
  return exceededLimit(bytes, Number.POSITIVE_INFINITY) !== undefined;
}

/** The index of the closing quote of the string that begins at `start`, in a valid JSON text. */
export function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return json.length;
}
