import { type Document, Lexer, type LineCounter, parseDocument } from 'yaml';
import { UserError } from './errors.js';
import { LIMITS, overLimit } from './limits.js';

/** Tokens of the lexer that begin a key, an item or a collection. */
const ENTRIES = new Set([':', '?', ',', '-', '[', '{']);

export interface YamlOptions {
  /** `1.1` is what PyYAML reads, and with it Gym (default: `1.2`). */
  version?: '1.1' | '1.2';
  /** Report duplicate keys. Takes time that is quadratic in the keys of a map. */
  uniqueKeys?: boolean;
  lineCounter?: LineCounter;
}

/**
 * Parses YAML of bounded size: the parser takes seconds for some thousand keys, and minutes for more.
 * @param where of the text, for messages
 * @throws UserError naming the limit that the text exceeds
 */
export function yamlDocument(text: string, where: string, options: YamlOptions = {}): Document {
  if (Buffer.byteLength(text) > LIMITS.configBytes) throw overLimit('configBytes', { where });
  let entries = 0;
  for (const token of new Lexer().lex(text)) {
    if (ENTRIES.has(token)) entries += 1;
    if (entries > LIMITS.configKeys) throw overLimit('configKeys', { where });
  }
  return parseDocument(text, { uniqueKeys: false, logLevel: 'error', ...options });
}

/**
 * The values of a document without errors.
 * @throws UserError if its aliases repeat too much, or name nothing
 */
export function yamlValues(document: Document, where: string): unknown {
  try {
    return document.toJS({ maxAliasCount: LIMITS.configAliases });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    if (error.message.startsWith('Excessive')) throw overLimit('configAliases', { where });
    throw new UserError(`invalid YAML: ${error.message}`, { where, fix: 'define the anchor before its alias' });
  }
}
