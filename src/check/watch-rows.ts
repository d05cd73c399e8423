import { FileText } from './file-text.js';
import type { RowsComparison } from './rows-comparison.js';

/**
 * Hands rows on as they come, and compares them with those of a file. A chunk of rows that the file has at the same place,
 * byte by byte, is not looked at: that is what a check mostly finds, and as fast as it can be found.
 * @param path of the file; one that isn't there has nothing to compare
 */
export function watchRows(
  rows: AsyncIterable<Buffer>,
  path: string,
  comparison: RowsComparison,
): { rows: AsyncIterable<Buffer>; seen: { readonly same: boolean } } {
  const seen = { same: false };
  return { rows: watched(rows, path, comparison, seen), seen };
}

async function* watched(
  rows: AsyncIterable<Buffer>,
  path: string,
  comparison: RowsComparison,
  seen: { same: boolean },
): AsyncGenerator<Buffer> {
  const file = await FileText.open(path);
  if (!file) {
    yield* rows;
    return;
  }
  let line = 0;
  let same = true;
  try {
    for await (const chunk of rows) {
      const passed = await file.pass(chunk);
      same &&= passed > 0;
      line += passed || (await compare(file, linesIn(chunk), line, comparison));
      yield chunk;
    }
    seen.same = same && (await file.isAtEnd());
    await compareRest(file, line, comparison);
    if (file.isUnended) comparison.unended();
  } finally {
    await file.close();
  }
}

/** A chunk is whole lines. */
function linesIn(chunk: Buffer): string[] {
  return chunk.toString('utf8', 0, chunk.length - 1).split('\n');
}

/** Each line that would be there, with the one that is; how many there would be. */
async function compare(file: FileText, lines: string[], before: number, comparison: RowsComparison): Promise<number> {
  for (let at = 0; at < lines.length; ) {
    const there = await file.take(lines.length - at);
    const stop = there.length === 0 ? lines.length : at + there.length;
    for (let own = 0; at < stop; own += 1, at += 1) comparison.add(there[own], lines[at], before + at + 1);
  }
  return lines.length;
}

/** Lines that would not be there. */
async function compareRest(file: FileText, before: number, comparison: RowsComparison): Promise<void> {
  for (let line = before; ; ) {
    const there = await file.take(1024);
    if (there.length === 0) return;
    for (const text of there) {
      line += 1;
      comparison.add(text, undefined, line);
    }
  }
}
