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
