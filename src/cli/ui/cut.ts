import widthWithin from 'fast-string-truncated-width';

/** Columns that a text takes. A Chinese character or an emoji takes two. */
export function widthOf(text: string): number {
  return widthWithin(text).width;
}

/** The text, cut to a number of columns. */
export function cut(text: string, columns: number): string {
  const { truncated, ellipsed, index } = widthWithin(text, { limit: Math.max(columns, 0), ellipsis: '…' });
  return truncated ? `${text.slice(0, index)}${ellipsed ? '…' : ''}` : text;
}

/**
 * Joins words to lines of at most that many columns. Further lines are indented. A word that is longer than a line is not moved
 * to the next one, where it would not fit either.
 */
export function wrapWords(words: readonly string[], columns: number, indent: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const fits = last !== undefined && widthOf(last) + 1 + widthOf(word) <= columns;
    const isLonger = widthOf(word) > columns - indent;
    if (last !== undefined && (fits || isLonger)) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : ' '.repeat(indent) + word.trimStart());
  }
  return lines.map((line) => line.trimEnd());
}
