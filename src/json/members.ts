import { endOfString, QUOTE } from './bounds.js';

/**
 * The values of a JSON object or array with their original spelling, by key or position. JSON.parse would change numbers such as
 * 2^63 and 1.0, and move keys that look like numbers to the front.
 * @param json valid JSON text; if a key is repeated, its last value counts, as for JSON.parse
 */
export function members(json: string): Map<string, string> {
  const found = new Map<string, string>();
  let depth = 0;
  let key: string | undefined;
  let start = 0;
  const end = (at: number) => {
    const value = json.slice(start, at).trim();
    if (value !== '') found.set(key ?? String(found.size), value);
    key = undefined;
    start = at + 1;
  };
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth === 1) start = at + 1;
    } else if (code === 0x7d || code === 0x5d) {
      if (depth === 1) end(at);
      depth -= 1;
    } else if (depth === 1 && code === 0x2c) end(at);
    else if (depth === 1 && code === 0x3a) {
      key = JSON.parse(json.slice(start, at));
      start = at + 1;
    }
  }
  return found;
}

/** The value at a path in a JSON text, with its original spelling; undefined if there is none. */
export function memberAt(json: string, ...path: string[]): string | undefined {
  let text: string | undefined = json;
  for (const key of path) text = text === undefined ? undefined : members(text).get(key);
  return text;
}
