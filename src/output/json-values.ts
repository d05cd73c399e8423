/**
 * What a JSON text has too much of to be parsed safely: values take memory, and nesting takes stack. Linear, and without
 * parsing: each value but the first of its list or object follows a comma.
 * @returns undefined if the text stays within both bounds, or is not JSON, which the parser reports
 */
export function excessOf(text: string, most: { values: number; depth: number }): 'values' | 'depth' | undefined {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      at = endOfString(text, at);
      if (at === -1) return undefined;
    } else if (char === ']' || char === '}') {
      depth -= 1;
    } else if (char === ',' || char === '[' || char === '{') {
      values += 1;
      if (values > most.values) return 'values';
      if (char !== ',') depth += 1;
      if (depth > most.depth) return 'depth';
    }
  }
  return undefined;
}

/** Where the string that begins at `start` ends; -1 if it does not. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}
