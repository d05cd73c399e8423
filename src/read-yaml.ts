import { type Alias, type Document, Lexer, type LineCounter, parseDocument, visit } from 'yaml';
import { UserError } from './errors.js';
import { LIMITS, overLimit } from './limits.js';

/** Tokens that begin a key, an item, a collection, an anchor or a tag: each costs the parser about the same. */
const ENTRIES = new Set([':', '?', ',', '-', '[', '{', '&', '!']);
/** Tokens per key in an ordinary file: spaces, a colon, a value, a line break. */
const TOKENS_OF_KEY = 10;

export interface YamlOptions {
  /** PyYAML, and so Gym, reads 1.1. Default: 1.2. */
  version?: '1.1' | '1.2';
  /** Report duplicate keys. The time is quadratic in the keys of a map. */
  uniqueKeys?: boolean;
  /** Replace `<<` with the keys of the maps that it names, as YAML 1.1 does. */
  merge?: boolean;
  lineCounter?: LineCounter;
}

/**
 * Parses YAML of bounded size. Without bounds, the parser needs minutes for many keys, and much stack for nesting.
 * @param where path of the file, for messages
 * @throws UserError naming the limit that the text exceeds
 */
export function yamlDocument(text: string, where: string, options: YamlOptions = {}): Document {
  if (Buffer.byteLength(text) > LIMITS.configBytes) throw overLimit('configBytes', { where });
  assertBounded(text, where);
  try {
    return parseDocument(text, { uniqueKeys: false, logLevel: 'error', ...options });
  } catch (error) {
    throw invalid(error, where);
  }
}

/** Counts tokens with the lexer, which is fast and does not recurse. */
function assertBounded(text: string, where: string): void {
  let tokens = 0;
  let entries = 0;
  let brackets = 0; // number of open brackets
  let columns = 0; // columns of indentation plus indicators in this line: each may be a level
  let isLineStart = true;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (ENTRIES.has(token.charAt(0))) entries += 1;
    if (entries > LIMITS.configKeys || tokens > LIMITS.configKeys * TOKENS_OF_KEY) {
      throw overLimit('configKeys', { where });
    }
    if (isLineStart) columns = token.trim() === '' ? token.length : 0;
    isLineStart = token.endsWith('\n');
    if (token === '[' || token === '{') brackets += 1;
    else if (token === ']' || token === '}') brackets -= 1;
    else if (token === '-' || token === '?') columns += 1;
    const isStructure = brackets > 0 || token === ':' || token === '?' || token === '-';
    if (isStructure && brackets + columns > LIMITS.configDepth) throw overLimit('configDepth', { where });
  }
}

/**
 * The values of a document that has no errors.
 * @param lines line counter of the document, for messages
 * @throws UserError if aliases expand too much, or for any other value that the parser rejects
 */
export function yamlValues(document: Document, where: string, lines?: LineCounter): unknown {
  try {
    return document.toJS({ maxAliasCount: LIMITS.configAliases });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw invalid(error, where);
    const isTooMany = error.message.startsWith('Excessive');
    const place = placeOf(isTooMany ? aliases(document).at(-1) : unresolved(document), where, lines);
    if (isTooMany) throw overLimit('configAliases', { where: place });
    throw invalid(error, place, 'define the anchor before its alias');
  }
}

/** Every error of the parser is about the text. */
function invalid(error: unknown, where: string, fix = 'correct the file'): UserError {
  return new UserError(`invalid YAML: ${String((error as Error).message).split('\n')[0]}`, {
    where,
    fix,
    cause: error,
  });
}

function aliases(document: Document): Alias[] {
  const found: Alias[] = [];
  visit(document, { Alias: (_, alias) => void found.push(alias) });
  return found;
}

function unresolved(document: Document): Alias | undefined {
  return aliases(document).find((alias) => alias.resolve(document) === undefined);
}

function placeOf(alias: Alias | undefined, where: string, lines: LineCounter | undefined): string {
  if (!alias?.range || !lines) return where;
  const { line, col } = lines.linePos(alias.range[0]);
  return `${where}:${line}:${col}`;
}
