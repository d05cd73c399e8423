import { taskIdOf } from '../gym/index.js';
import { hasTooManyValues } from '../json/bounds.js';
import { isRecord } from '../json/guards.js';
import type { FieldChange, Named, RowsDifference } from './difference.js';
import { type Row, rowFields } from './row-fields.js';
import { RowOrder } from './row-order.js';

/** Upper bound on the rows of each file that wait for the other file's row of the same task, in UTF-16 units. */
const WAITING = 4 * 2 ** 20;
/** Upper bounds on the tasks and fields that are named; others are counted. */
const NAMED = 10;
const FIELDS = 30;
/** Upper bound on the removed rows that are checked for being repeated. */
const GONE = 1000;

const NESTED: FieldChange[] = [{ field: 'values nested too deeply to compare', before: null, after: null }];

/** A row of one of the files. It is parsed only if necessary: most rows are the same in both files. */
class Waiting {
  constructor(
    readonly id: string,
    readonly text: string,
    readonly line: number,
    private parsed?: Row,
  ) {}

  /** Empty if the line is not a row. */
  get row(): Row {
    if (this.parsed === undefined) {
      const row = json(this.text);
      this.parsed = isRecord(row) ? row : {};
    }
    return this.parsed;
  }

  get isRow(): boolean {
    return Object.keys(this.row).length > 0;
  }
}

/**
 * Compares two files of rows line by line. Rows with the same task id are compared, in any order, within a window: a row that
 * moved further counts as removed and added, so that memory is bounded.
 */
export class RowsComparison {
  private readonly found: RowsDifference = {
    added: named(),
    removed: named(),
    changed: { count: 0, first: [], fields: Object.create(null) },
    moved: named(),
    reordered: named(),
    broken: named(),
    repeated: named(),
    blank: { count: 0, first: [] },
    unended: false,
  };
  private readonly order = new RowOrder<Waiting>();
  /** The first removed rows. */
  private readonly gone: { id: string; line: number }[] = [];
  private readonly before = new Window((waiting) => (waiting.isRow ? this.removed(waiting) : this.broken(waiting)));
  private readonly after = new Window((waiting) => note(this.found.added, waiting));

  /**
   * @param before the existing line; undefined past the end of the file
   * @param after the generated line; undefined past the end of the file
   * @param line line number, from 1
   */
  add(before: string | undefined, after: string | undefined, line: number): void {
    if (before === after) return;
    if (before?.trim() === '') {
      this.blank(line);
      this.add(undefined, after, line);
      return;
    }
    const [old, fresh] = [this.parse(before, line), this.parse(after, line)];
    if (old && fresh && old.id === fresh.id) {
      this.compare(old, fresh);
      return;
    }
    if (old) this.meet(old, this.before, this.after, (other) => this.compare(old, other));
    if (fresh) this.meet(fresh, this.after, this.before, (other) => this.compare(other, fresh));
  }

  /** The differences, after all lines were added; undefined if there are none. */
  end(): RowsDifference | undefined {
    this.before.empty();
    this.after.empty();
    for (const row of this.order.misplaced()) note(this.found.reordered, row);
    const { unended, changed, repeated: _, ...others } = this.found;
    const count = Object.values(others).reduce((sum, other) => sum + other.count, changed.count);
    return count > 0 || unended ? this.found : undefined;
  }

  /** Notes that the last line of the file has no line break. */
  unended(): void {
    this.found.unended = true;
  }

  /**
   * Counts removed rows whose task has another row in the file as repeated instead. Call it after `end`.
   * @param lines of the existing file
   */
  async separateRepeated(lines: AsyncIterable<readonly string[]>): Promise<void> {
    const { removed, repeated } = this.found;
    const counts = new Map(this.gone.map(({ id }) => [id, 0]));
    for await (const batch of lines) {
      for (const line of batch) {
        const id = taskIdOf(line) ?? idIn(json(line));
        const count = id === undefined ? undefined : counts.get(id);
        if (id !== undefined && count !== undefined) counts.set(id, count + 1);
      }
    }
    const isRepeated = new Set(this.gone.filter(({ id }) => (counts.get(id) ?? 0) > 1).map(({ line }) => line));
    repeated.count = isRepeated.size;
    repeated.first = removed.first.filter(({ line }) => isRepeated.has(line));
    removed.count -= repeated.count;
    removed.first = removed.first.filter(({ line }) => !isRepeated.has(line));
  }

  private removed(waiting: Waiting): void {
    note(this.found.removed, waiting);
    if (this.gone.length < GONE) this.gone.push({ id: waiting.id, line: waiting.line });
  }

  private blank(line: number): void {
    const { blank } = this.found;
    blank.count += 1;
    if (blank.first.length < NAMED) blank.first.push(line);
  }

  /** A row that is nested too deeply to be compared differs as a whole. */
  private fieldsOf(before: Waiting, after: Waiting) {
    try {
      return rowFields(before.row, after.row);
    } catch (error) {
      if (error instanceof RangeError) return NESTED;
      throw error;
    }
  }

  private parse(text: string | undefined, line: number): Waiting | undefined {
    if (text === undefined) return undefined;
    const id = taskIdOf(text);
    if (id !== undefined) return new Waiting(id, text, line);
    const row = json(text);
    if (isRecord(row)) return new Waiting(idOf(row), text, line, row);
    this.broken({ text, line });
    return undefined;
  }

  private broken({ text, line }: Pick<Waiting, 'text' | 'line'>): void {
    count(this.found.broken, { task: text.slice(0, 40), line });
  }

  private meet(row: Waiting, own: Window, others: Window, met: (other: Waiting) => void): void {
    const other = others.take(row.id);
    if (other) met(other);
    else own.put(row.id, row);
  }

  private compare(before: Waiting, after: Waiting): void {
    if (before.text === after.text) {
      this.order.add(before, after.line);
      return;
    }
    if (!before.isRow) {
      this.broken(before);
      note(this.found.added, after);
      return;
    }
    const fields = this.fieldsOf(before, after);
    const { changed } = this.found;
    if (fields.length === 1 && fields[0]?.field === 'index') {
      note(this.found.moved, before);
      return;
    }
    if (fields.every(({ field }) => field !== 'index')) this.order.add(before, after.line);
    changed.count += 1;
    for (const { field } of fields) {
      if (field in changed.fields || Object.keys(changed.fields).length < FIELDS)
        changed.fields[field] = (changed.fields[field] ?? 0) + 1;
    }
    if (changed.first.length < NAMED)
      changed.first.push({ task: taskName(before.row), line: before.line, fields: few(fields) });
  }
}

/** Rows whose counterpart was not found yet. If there are too many, the oldest are dropped. */
class Window {
  private readonly rows = new Map<string, Waiting>();
  private size = 0;

  constructor(private readonly alone: (row: Waiting) => void) {}

  put(id: string, row: Waiting): void {
    const double = this.rows.get(id);
    if (double) this.drop(id, double);
    this.rows.set(id, row);
    this.size += row.text.length;
    for (const [oldest, waiting] of this.rows) {
      if (this.size <= WAITING) return;
      this.drop(oldest, waiting);
    }
  }

  take(id: string): Waiting | undefined {
    const row = this.rows.get(id);
    if (!row) return undefined;
    this.rows.delete(id);
    this.size -= row.text.length;
    return row;
  }

  empty(): void {
    for (const [id, row] of this.rows) this.drop(id, row);
  }

  private drop(id: string, row: Waiting): void {
    this.take(id);
    this.alone(row);
  }
}

/** The first fields: an edited row can have any number. */
function few(fields: FieldChange[]): FieldChange[] {
  if (fields.length <= FIELDS) return fields;
  return [...fields.slice(0, FIELDS), { field: `${fields.length - FIELDS} more fields`, before: null, after: null }];
}

function named(): Named {
  return { count: 0, first: [] };
}

function note(named: Named, { row, line }: Waiting): void {
  count(named, { task: taskName(row), line });
}

function count(named: Named, one: Named['first'][number]): void {
  named.count += 1;
  if (named.first.length < NAMED) named.first.push(one);
}

function idIn(row: unknown): string | undefined {
  return isRecord(row) ? idOf(row) : undefined;
}

function idOf({ task_id: id, index }: Row): string {
  return typeof id === 'string' ? id : `#${JSON.stringify(index)}`;
}

/** `train[3] 'day-3'` */
function taskName({ split, index, task_id: id }: Row): string {
  const segment = String(id);
  const place = split === undefined ? '' : `${String(split)}[${String(index)}] `;
  return `${place}'${segment.slice(segment.lastIndexOf('/') + 1)}'`.slice(0, 200);
}

/** Undefined if the text is not JSON, or has more values than a row can have. */
function json(text: string): unknown {
  if (hasTooManyValues(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
