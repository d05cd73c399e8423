import { parse } from 'lossless-json';
import { escapeCharacter, hiddenCharacters } from '../display-text.js';
import type { JsonText } from '../model.js';

/**
 * Hidden characters, some of which PyYAML rejects or drops unless they are escaped, and the non-characters that it
 * rejects.
 */
const UNSAFE = hiddenCharacters('\\ufffe\\uffff');

/**
 * A YAML scalar that YAML 1.1, YAML 1.2 and OmegaConf read as exactly this text. It is always quoted, because plain `on`,
 * `1e3`, `12:30` and `0x1F` are not strings, and `${…}` is escaped, because OmegaConf interpolates it in quoted strings, too:
 * `${oc.env:HOME}` would insert the reader's home. Nothing escapes the text `???`; `configText` in `rules/` rejects it.
 */
export function yamlString(text: string): string {
  return plainYamlString(withoutInterpolation(text));
}

/** A YAML scalar for readers without OmegaConf. A JSON string is a double-quoted YAML scalar. */
export function plainYamlString(text: string): string {
  return JSON.stringify(text).replace(UNSAFE, escapeCharacter);
}

/** A YAML value in flow style. Numbers keep their spelling; keys are not escaped, because OmegaConf reads no `${…}` there. */
export function yamlValue(json: JsonText): string {
  return flow(parse(json), yamlString);
}

/** As `yamlValue`, for a value of another config: its strings have their escapes already. */
export function yamlLiteral(json: JsonText): string {
  return flow(parse(json), plainYamlString);
}

function flow(value: unknown, string: (text: string) => string): string {
  if (typeof value === 'string') return string(value);
  if (Array.isArray(value)) return `[${value.map((item) => flow(item, string)).join(', ')}]`;
  if (typeof value !== 'object' || value === null || value.constructor !== Object) return String(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${plainYamlString(key)}: ${flow(item, string)}`)
    .join(', ')}}`;
}

/** OmegaConf reads `\${` as a literal `${`, and backslashes before it in pairs. */
export function withoutInterpolation(text: string): string {
  return text.replace(/(?<!\\)(\\*)\$\{/g, (_, backslashes: string) => `${backslashes}${backslashes}\\\${`);
}
