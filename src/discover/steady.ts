import { stringify } from 'lossless-json';
import { isRecord } from '../json/guards.js';

/** Fields that may be another in each session or second, whatever is played. */
const UNSTEADY =
  /(?:^|_)(?:uuid|time|timestamp|elapsed|duration|latency|port)s?$|_(?:at|ms|seconds)$|(?:episode|session|run|request)_?id$/i;
const UUID = /\b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b/gi;

/** A value without what may be another each time. */
export function steady(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(UUID, 'uuid');
  if (Array.isArray(value)) return value.map(steady);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !UNSTEADY.test(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, steady(item)]));
}

/** The names of those fields that are another indeed, in two values that should be the same. */
export function unsteadyFields(one: unknown, other: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(one) && Array.isArray(other)) {
    for (const [at, item] of one.entries()) unsteadyFields(item, other[at], found);
  }
  if (!isRecord(one) || !isRecord(other)) return found;
  for (const [key, value] of Object.entries(one)) {
    if (!UNSTEADY.test(key)) unsteadyFields(value, other[key], found);
    else if (stringify(value) !== stringify(other[key])) found.add(key);
  }
  return found;
}

/** A value without the fields of these names, at any depth. */
export function withoutFields<T>(value: T, names: ReadonlySet<string>): T;
export function withoutFields(value: unknown, names: ReadonlySet<string>): unknown {
  if (names.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withoutFields(item, names));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !names.has(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutFields(item, names)]));
}
