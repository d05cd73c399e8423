import { endOfString } from '../../json/bounds.js';

/** The lines of a JSON text, indented. Numbers and repeated keys stay as they are, which JSON.parse would change. */
export function indentedJson(json: string): string[] {
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  const endLine = () => {
    lines.push(line);
    line = '  '.repeat(depth);
  };
  let before = '';
  for (const token of tokens(json)) {
    const closes = isOneOf(token, '}', ']');
    if (closes) depth -= 1;
    if (isOneOf(before, '{', '[') !== closes) endLine();
    line += token === ':' ? ': ' : token;
    if (isOneOf(token, '{', '[')) depth += 1;
    if (token === ',') endLine();
    before = token;
  }
  return [...lines, line];
}

function isOneOf(token: string, ...all: readonly string[]): boolean {
  return all.includes(token);
}

/** Strings, punctuation, and the characters of everything else; no whitespace. */
function* tokens(json: string): Generator<string> {
  for (let at = 0; at < json.length; at += 1) {
    const start = at;
    if (json[at] === '"') at = endOfString(json, at);
    const token = json.slice(start, at + 1);
    if (token.trim() !== '') yield token;
  }
}
