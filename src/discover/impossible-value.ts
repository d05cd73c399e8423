import { isRecord } from '../json/guards.js';

/** Checks that follow each other into a schema, for one that names itself. */
const DEEPEST = 32;

/**
 * Why a value can't be what a JSON schema describes, or undefined if it may be. Only what is certain is reported: pydantic,
 * which reads actions, takes "3" for an integer and 1 for a bool
 * (https://docs.pydantic.dev/latest/concepts/conversion_table/), and keywords that are not looked at decide nothing.
 * @param schema without references
 * @param path where the value is, such as `.x`
 */
export function impossibleValue(schema: unknown, value: unknown, path = '', depth = 0): string | undefined {
  if (!isRecord(schema) || depth > DEEPEST) return undefined;
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

/** Which values pydantic takes for each type, at most. */
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

function outOfBounds(schema: Record<string, unknown>, value: unknown, at: string): string | undefined {
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

/** The same for what an object or an array holds. */
function impossiblePart(
  schema: Record<string, unknown>,
  value: unknown,
  path: string,
  depth: number,
): string | undefined {
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
