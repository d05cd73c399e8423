import { isRecord } from '../../json/guards.js';
import { LIMITS, overLimit } from '../../limits.js';

/** Apache Arrow's types of JSON values. It stores integers beside fractions as fractions, which are equal in Python. */
type Kind = 'bool' | 'number' | 'string' | 'list' | 'struct';

/** Bytes that a key costs besides its name. */
const KEY_BYTES = 64;

/** A value whose type differs from that of the first value at the same place. */
export interface MixedType {
  /** `responses_create_params.tools[].parameters.default`. */
  path: string;
  first: Kind;
  other: Kind;
}

/**
 * The type that Arrow infers for a column of JSON values, as `datasets.Dataset.from_list` stores rows. All objects at one place
 * become one struct with the keys of all of them, and each object gets the keys that it lacks, with null. All values at one
 * place must have one type.
 */
export class ColumnType {
  private kind: Kind | undefined;
  private readonly fields = new Map<string, ColumnType>();
  private items: ColumnType | undefined;
  /** Whether two objects at this place, or below it, have different keys. */
  hasOptionalKeys = false;

  private constructor(
    private readonly size: { bytes: number },
    private readonly file: string,
  ) {}

  /** @param file for messages */
  static of(file: string): ColumnType {
    return new ColumnType({ bytes: 0 }, file);
  }

  /**
   * Adds one value of the column.
   * @returns the places in the value whose types differ from those of earlier values
   * @throws UserError if the column has too many keys
   */
  add(value: unknown): MixedType[] {
    const mixed: MixedType[] = [];
    this.merge(value, '', mixed);
    return mixed;
  }

  private merge(value: unknown, path: string, mixed: MixedType[]): void {
    const kind = kindOf(value);
    if (kind === undefined) return;
    const isFirst = this.kind === undefined;
    this.kind ??= kind;
    if (kind !== this.kind) {
      mixed.push({ path, first: this.kind, other: kind });
    } else if (Array.isArray(value)) {
      this.items ??= new ColumnType(this.size, this.file);
      for (const item of value) this.items.merge(item, `${path}[]`, mixed);
      if (this.items.hasOptionalKeys) this.hasOptionalKeys = true;
    } else if (isRecord(value)) {
      this.mergeFields(value, path, mixed, isFirst);
    }
  }

  private mergeFields(value: Record<string, unknown>, path: string, mixed: MixedType[], isFirst: boolean): void {
    const keys = Object.keys(value);
    for (const key of keys) {
      let field = this.fields.get(key);
      if (field === undefined) {
        field = this.newField(key);
        if (!isFirst) this.hasOptionalKeys = true;
      }
      field.merge(value[key], path === '' ? key : `${path}.${key}`, mixed);
      if (field.hasOptionalKeys) this.hasOptionalKeys = true;
    }
    if (keys.length < this.fields.size) this.hasOptionalKeys = true;
  }

  private newField(key: string): ColumnType {
    this.size.bytes += key.length + KEY_BYTES;
    if (this.size.bytes > LIMITS.rowKeyBytes) throw overLimit('rowKeyBytes', { where: this.file });
    const field = new ColumnType(this.size, this.file);
    this.fields.set(key, field);
    return field;
  }

  /** The places where this column gives a value a key that it lacks: `responses_create_params.metadata`. */
  addedTo(value: unknown, path = ''): string[] {
    if (!this.hasOptionalKeys) return [];
    if (Array.isArray(value)) return value.flatMap((item) => this.items?.addedTo(item, `${path}[]`) ?? []);
    if (!isRecord(value) || this.kind !== 'struct') return [];
    return [...this.fields].flatMap(([key, field]) => {
      const at = path === '' ? key : `${path}.${key}`;
      return Object.hasOwn(value, key) ? field.addedTo(value[key], at) : [at];
    });
  }
}

function kindOf(value: unknown): Kind | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? 'list' : 'struct';
}
