/** A value, in a box: it may be null. */
export interface Sample {
  value: unknown;
}

type Schema = Record<string, unknown>;

/**
 * A value that a JSON schema allows and that says least: what is constant, the first of an enumeration, else what is
 * nearest to nothing. Null where that is unclear, as for a text with a pattern.
 */
export function sample(schema: unknown): Sample | null {
  if (typeof schema !== 'object' || schema === null) return null;
  const given = schema as Schema;
  if ('const' in given) return { value: given.const };
  if (Array.isArray(given.enum) && given.enum.length > 0) return { value: given.enum[0] };
  if ('default' in given) return { value: given.default };
  const options = given.anyOf ?? given.oneOf;
  if (Array.isArray(options)) return firstOf(options);
  if ('allOf' in given || '$ref' in given || 'pattern' in given || 'format' in given) return null;
  const [type] = [given.type].flat().filter((each) => each !== 'null');
  switch (type) {
    case 'string':
      return Number(given.minLength ?? 0) === 0 ? { value: '' } : null;
    case 'boolean':
      return { value: false };
    case 'integer':
    case 'number':
      return nearestToZero(given);
    case 'array':
      return list(given);
    case 'object':
      return object(given);
    default:
      return null;
  }
}

function firstOf(options: unknown[]): Sample | null {
  for (const option of options) {
    const isNull = (option as Schema | null)?.type === 'null';
    const found = isNull ? null : sample(option);
    if (found) return found;
  }
  return null;
}

function nearestToZero({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Schema): Sample | null {
  const low = Number(minimum ?? Number.NEGATIVE_INFINITY);
  const high = Number(maximum ?? Number.POSITIVE_INFINITY);
  const value = Math.min(Math.max(0, low), high);
  const above = exclusiveMinimum === undefined || value > Number(exclusiveMinimum);
  const below = exclusiveMaximum === undefined || value < Number(exclusiveMaximum);
  return low <= high && above && below && (value === 0 || multipleOf === undefined) ? { value } : null;
}

const MOST_ITEMS = 64;
/** Characters of a value's JSON: what says least is short, and nested lists of 64 items would multiply. */
const LONGEST = 64 * 1024;

function list({ minItems = 0, items, prefixItems }: Schema): Sample | null {
  const count = Number(minItems);
  if (count === 0) return { value: [] };
  const item = prefixItems === undefined && count <= MOST_ITEMS ? sample(items) : null;
  return item && lengthOf(item) * count <= LONGEST ? { value: Array(count).fill(item.value) } : null;
}

/** With what it must have, and nothing else. */
function object({ properties = {}, required = [] }: Schema): Sample | null {
  const value: Record<string, unknown> = {};
  let length = 0;
  for (const key of new Set(required as string[])) {
    const found = sample((properties as Schema)[key]);
    if (!found) return null;
    length += lengthOf(found);
    if (length > LONGEST) return null;
    value[key] = found.value;
  }
  return { value };
}

function lengthOf({ value }: Sample): number {
  return JSON.stringify(value)?.length ?? 0;
}
