const BEFORE = 24;

/** Cuts two different texts to the part around the first difference. `…` marks the cuts. */
export function around(one: string, other: string, length = 72): [string, string] {
  if (one.length <= length && other.length <= length) return [one, other];
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const start = Math.max(0, at - BEFORE);
  return [cut(one, start, length), cut(other, start, length)];
}

function cut(text: string, start: number, length: number): string {
  const part = text.slice(start, start + length);
  return `${start > 0 ? '…' : ''}${part}${start + length < text.length ? '…' : ''}`;
}
