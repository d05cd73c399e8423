import { stringify } from 'lossless-json';
import { isRecord } from '../../json/guards.js';

/** Names of fields whose values may change between sessions or over time. */
const VOLATILE =
  /(?:^|_)(?:uuid|time|timestamp|elapsed|duration|latency|port)s?$|_(?:at|ms|seconds)$|(?:episode|session|run|request)_?id$/i;
const UUID = /\b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b/gi;

/** A value without its volatile fields, and with its UUIDs replaced. */
export function withoutVolatile(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(UUID, 'uuid');
  if (Array.isArray(value)) return value.map(withoutVolatile);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !VOLATILE.test(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutVolatile(item)]));
}

/** Names of the volatile fields that do differ between two values. */
export function volatileFields(one: unknown, other: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(one) && Array.isArray(other)) {
    for (const [at, item] of one.entries()) volatileFields(item, other[at], found);
  }
  if (!isRecord(one) || !isRecord(other)) return found;
  for (const [key, value] of Object.entries(one)) {
    if (!VOLATILE.test(key)) volatileFields(value, other[key], found);
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
