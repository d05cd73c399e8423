import { parse } from 'lossless-json';
import { escapeCharacter, hiddenCharacters } from '../display-text.js';

/** Hidden characters, of which PyYAML refuses or drops some when they stand raw, and the non-characters that it refuses. */
const UNSAFE = hiddenCharacters('\\ufffe\\uffff');

/**
 * A text as a YAML scalar that reads as exactly that text, to YAML 1.1 and 1.2 and to OmegaConf, which interpolates `${…}`
 * in any string, quoted or not (`${oc.env:HOME}` would write the reader's home). Always quoted: `on`, `1e3`, `12:30` and
 * `0x1F` are no strings otherwise. A text that is exactly `???` can't be written; `configText` in `rules/` refuses it.
 */
export function yamlString(text: string): string {
  return quoted(withoutInterpolation(text));
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(UNSAFE, escapeCharacter); // a string of JSON is a double-quoted one of YAML
}

/** JSON as a YAML value in flow style: numbers keep their spelling, and OmegaConf reads no `${…}` in a key. */
export function yamlValue(json: string): string {
  return flow(parse(json));
}

function flow(value: unknown): string {
  if (typeof value === 'string') return yamlString(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value !== 'object' || value === null || value.constructor !== Object) return String(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${quoted(key)}: ${flow(item)}`)
    .join(', ')}}`;
}

/** OmegaConf's grammar: `\${` is a literal `${`, and backslashes before it count in pairs. */
function withoutInterpolation(text: string): string {
  return text.replace(/(?<!\\)(\\*)\$\{/g, (_, backslashes: string) => `${backslashes}${backslashes}\\\${`);
}
