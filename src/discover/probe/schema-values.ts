import { isRecord } from '../../json/guards.js';

type Schema = Record<string, unknown>;

/** A value in an object, because the value may be null. */
export interface Sample {
  value: unknown;
}

/**
 * The simplest value that a JSON schema allows: a constant, the first value of an enumeration, a default, or else an empty or
 * zero value. Null if there is no obvious one, as for a string with a pattern.
 */
export function minimalValue(schema: unknown): Sample | null {
  if (!isRecord(schema)) return null;
  if ('const' in schema) return { value: schema.const };
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return { value: schema.enum[0] };
  if ('default' in schema) return { value: schema.default };
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return firstMinimal(options);
  if ('allOf' in schema || '$ref' in schema || 'pattern' in schema || 'format' in schema) return null;
  const [type] = [schema.type].flat().filter((each) => each !== 'null');
  switch (type) {
    case 'string':
      return Number(schema.minLength ?? 0) === 0 ? { value: '' } : null;
    case 'boolean':
      return { value: false };
    case 'integer':
    case 'number':
      return minimalNumber(schema);
    case 'array':
      return minimalArray(schema);
    case 'object':
      return minimalObject(schema);
    default:
      return null;
  }
}

function firstMinimal(options: unknown[]): Sample | null {
  for (const option of options) {
    const isNull = (option as Schema | null)?.type === 'null';
    const found = isNull ? null : minimalValue(option);
    if (found) return found;
  }
  return null;
}

/** The number nearest to zero. */
function minimalNumber({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Schema): Sample | null {
  const low = Number(minimum ?? Number.NEGATIVE_INFINITY);
  const high = Number(maximum ?? Number.POSITIVE_INFINITY);
  const value = Math.min(Math.max(0, low), high);
  const above = exclusiveMinimum === undefined || value > Number(exclusiveMinimum);
  const below = exclusiveMaximum === undefined || value < Number(exclusiveMaximum);
  return low <= high && above && below && (value === 0 || multipleOf === undefined) ? { value } : null;
}

const MAX_ITEMS = 64;
/** Maximum length of a value's JSON, because nested lists of 64 items multiply. */
const MAX_LENGTH = 64 * 1024;

function minimalArray({ minItems = 0, items, prefixItems }: Schema): Sample | null {
  const count = Number(minItems);
  if (count === 0) return { value: [] };
  const item = prefixItems === undefined && count <= MAX_ITEMS ? minimalValue(items) : null;
  return item && jsonLength(item) * count <= MAX_LENGTH ? { value: Array(count).fill(item.value) } : null;
}

/** An object with its required properties only. */
function minimalObject({ properties = {}, required = [] }: Schema): Sample | null {
  const value: Record<string, unknown> = {};
  let length = 0;
  for (const key of new Set(required as string[])) {
    const found = minimalValue((properties as Schema)[key]);
    if (!found) return null;
    length += jsonLength(found);
    if (length > MAX_LENGTH) return null;
    value[key] = found.value;
  }
  return { value };
}

function jsonLength({ value }: Sample): number {
  return JSON.stringify(value)?.length ?? 0;
}

/** Maximum depth of checks, for a schema that refers to itself. */
const MAX_DEPTH = 32;

/**
 * The reason why a value cannot match a JSON schema, or undefined if it may match. Only certain mismatches are reported:
 * pydantic, which reads actions, accepts "3" as an integer and 1 as a bool
 * (https://docs.pydantic.dev/latest/concepts/conversion_table/), and unknown keywords are ignored.
 * @param schema without references
 * @param path of the value, such as `.x`
 */
export function impossibleValue(schema: unknown, value: unknown, path = '', depth = 0): string | undefined {
  if (!isRecord(schema) || depth > MAX_DEPTH) return undefined;
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) {
    const reasons = options.map((option) => impossibleValue(option, value, path, depth + 1));
    if (reasons.every((reason) => reason !== undefined)) return reasons[0];
  }
  const at = path === '' ? '' : ` at ${path.slice(1)}`;
  const allowed = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : undefined;
  if (allowed !== undefined && !allowed.some((each) => String(each) === String(value))) {
    return `must be ${allowed.map((each) => JSON.stringify(each)).join(' or ')}${at}`;
  }
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  if (types.length > 0 && !types.some((type) => TYPES[type]?.(value) ?? true))
    return `must be ${types.join(' or ')}${at}`;
  return outOfBounds(schema, value, at) ?? impossiblePart(schema, value, path, depth);
}

/** The values that pydantic may convert to each type. */
const TYPES: Record<string, (value: unknown) => boolean> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean' || value === 0 || value === 1 || typeof value === 'string',
  integer: (value) => typeof value === 'boolean' || isNumeric(value),
  number: (value) => typeof value === 'boolean' || isNumeric(value),
  string: (value) => typeof value === 'string',
  array: Array.isArray,
  object: isRecord,
};

function isNumeric(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && !Number.isNaN(Number(value));
  return typeof value === 'number';
}

function outOfBounds(schema: Schema, value: unknown, at: string): string | undefined {
  if (typeof value === 'number') {
    const bound = (key: string) => (typeof schema[key] === 'number' ? (schema[key] as number) : Number.NaN);
    if (value < bound('minimum')) return `must be ${schema.minimum} or more${at}`;
    if (value > bound('maximum')) return `must be ${schema.maximum} or less${at}`;
    if (value <= bound('exclusiveMinimum')) return `must be more than ${schema.exclusiveMinimum}${at}`;
    if (value >= bound('exclusiveMaximum')) return `must be less than ${schema.exclusiveMaximum}${at}`;
    if (schema.type === 'integer' && !Number.isInteger(value)) return `must be integer${at}`;
  }
  return undefined;
}

/** Checks the items of an array, or the properties of an object. */
function impossiblePart(schema: Schema, value: unknown, path: string, depth: number): string | undefined {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      const reason = impossibleValue(schema.items, item, `${path}.${at}`, depth + 1);
      if (reason !== undefined) return reason;
    }
  }
  if (!isRecord(value)) return undefined;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = required.find((name) => !Object.hasOwn(value, String(name)));
  if (missing !== undefined) return `must have ${missing}${path === '' ? '' : ` at ${path.slice(1)}`}`;
  for (const [name, item] of Object.entries(value)) {
    const reason = impossibleValue(properties[name], item, `${path}.${name}`, depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
