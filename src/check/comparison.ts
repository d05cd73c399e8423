import path from 'node:path';
import { openNoFollow, readNoFollow } from '../files.js';
import { namesOf } from '../gym/index.js';
import { lineBatches } from '../json/lines.js';
import { LOCK_FILE, type OutputFile, type PlanEntry, type Target } from '../output/index.js';
import type { FileDifference } from './difference.js';
import { lockDiff } from './lock-diff.js';
import { RowsComparison } from './rows-comparison.js';
import { watchRows } from './watch-rows.js';

/** Upper bound on the bytes of a text whose differences are reported. For a larger text, only the state is reported. */
const LARGEST = 4 * 2 ** 20;

/** Compares generated files with a folder: rows while they are read, texts once the plan says which ones differ. */
export class Comparison {
  private readonly folder: string;
  private readonly rows = new Map<string, RowsComparison>();
  /** The generated texts, by path. */
  private readonly texts = new Map<string, string>();

  constructor({ gymRoot, name }: Target) {
    this.folder = path.join(gymRoot, namesOf(name).folder);
  }

  async *watch(files: AsyncIterable<OutputFile>): AsyncGenerator<OutputFile> {
    for await (const file of files) {
      if ('rows' in file) {
        const comparison = new RowsComparison();
        this.rows.set(file.path, comparison);
        yield { ...file, ...watchRows(file.rows, path.join(this.folder, file.path), comparison) };
      } else {
        this.texts.set(file.path, file.content);
        yield file;
      }
    }
  }

  /** @param lock the generated lock file, if it is compared, too */
  async differences(entries: readonly PlanEntry[], lock?: string): Promise<FileDifference[]> {
    if (lock !== undefined) this.texts.set(LOCK_FILE, lock);
    return Promise.all(entries.map((entry) => this.difference(entry)));
  }

  private async difference(entry: PlanEntry): Promise<FileDifference> {
    if (entry.state === 'create' || entry.state === 'stale') return entry;
    const comparison = this.rows.get(entry.path);
    const rows = comparison?.end();
    if (rows && rows.removed.count > 0) await this.separateRepeated(entry.path, comparison);
    if (rows) return { ...entry, ...conflictNote(rows.broken.first[0]?.task), rows };
    const after = this.texts.get(entry.path);
    const before = after === undefined ? undefined : await this.existing(entry.path);
    if (after === undefined) return entry;
    if (before === undefined) return entry.note ? entry : { ...entry, diff: ['(too large for a diff)'] };
    if (entry.path.endsWith('.jsonl')) return { ...entry, ...compareRows(before, after) };
    const { textDiff } = await import('./text-diff.js'); // needed only for differences
    if (entry.path === LOCK_FILE) return { ...entry, diff: lockDiff(before, after, textDiff) };
    return { ...entry, ...conflictNote(CONFLICT.exec(before)?.[0]), diff: textDiff(before, after) };
  }

  private async separateRepeated(file: string, comparison: RowsComparison | undefined): Promise<void> {
    const existing = await openNoFollow(path.join(this.folder, file)).catch(() => undefined);
    if (existing) await comparison?.separateRepeated(lineBatches(existing.createReadStream()));
  }

  /** The text of the existing file; undefined if it is too large or not a regular file. */
  private async existing(file: string): Promise<string | undefined> {
    const bytes = await readNoFollow(path.join(this.folder, file), LARGEST);
    return typeof bytes === 'string' ? undefined : bytes.toString();
  }
}

function compareRows(before: string, after: string): Pick<FileDifference, 'rows'> {
  const [old, fresh] = [before.split(/\r?\n/), after.split('\n')];
  const isUnended = old.at(-1) !== '';
  if (!isUnended) old.pop();
  const comparison = new RowsComparison();
  for (let at = 0; at < Math.max(old.length, fresh.length); at += 1) {
    comparison.add(old[at], fresh[at] || undefined, at + 1);
  }
  if (isUnended) comparison.unended();
  const rows = comparison.end();
  return rows ? { rows } : {};
}

/** How git marks the first line of a conflict. */
const CONFLICT = /^<{7} .*$/m;

function conflictNote(line: string | undefined): { note?: string } {
  return line !== undefined && CONFLICT.test(line)
    ? { note: 'unresolved merge conflict: take either side, then run gymgen update' }
    : {};
}
