import widthWithin from 'fast-string-truncated-width';

/** Columns that a text takes: a character of Chinese, or an emoji, takes two. */
export function widthOf(text: string): number {
  return widthWithin(text).width;
}

/** The text, cut to some columns. */
export function cut(text: string, columns: number): string {
  const { truncated, ellipsed, index } = widthWithin(text, { limit: Math.max(columns, 0), ellipsis: '…' });
  return truncated ? `${text.slice(0, index)}${ellipsed ? '…' : ''}` : text;
}

/** Breaks a text at spaces into lines of at most that many columns. Further lines are indented. */
export function wrapWords(text: string, columns: number, indent: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(word);
    else if (widthOf(last) + 1 + widthOf(word) <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(' '.repeat(indent) + word);
  }
  return lines;
}
