import { isRecord } from '../../json/guards.js';

/** A config of NeMo RL as nested values, with the interpolations of OmegaConf as text. */
export type ConfigValues = Record<string, unknown>;

/** Interpolations that lead to each other. */
const DEPTH = 20;
const REFERENCE = /^\$\{(\.*)(\w[\w.]*)\}$/;
const PRODUCT = /^\$\{mul:(.+)\}$/;

/**
 * Merges two configs as NeMo RL does (`merge_with_override`, nemo_rl/utils/config.py): maps are merged, other values replaced. A
 * map at the top level with `_override_: true` replaces that of the base.
 */
export function mergeConfigs(base: ConfigValues, over: ConfigValues): ConfigValues {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (isRecord(value) && value._override_) {
      const { _override_: _, ...rest } = value;
      merged[key] = rest;
    } else merged[key] = mergeValues(base[key], value);
  }
  return merged;
}

function mergeValues(base: unknown, over: unknown): unknown {
  if (!isRecord(base) || !isRecord(over)) return over;
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) merged[key] = mergeValues(base[key], value);
  return merged;
}

/** Whether a config has a key, also with the value null. @param path such as `policy.generation.top_k` */
export function hasKey(config: ConfigValues, path: string): boolean {
  const keys = path.split('.');
  const last = keys.pop() as string;
  const parent = rawAt(config, keys);
  return isRecord(parent) && Object.hasOwn(parent, last) && parent[last] !== '???';
}

/** The value at a path, after interpolation. Undefined if it is missing or uses an interpolation other than a key or `mul`. */
export function valueAt(config: ConfigValues, path: string): unknown {
  return resolved(config, path.split('.'), 0);
}

/** The number at a path; undefined if there is none. */
export function numberAt(config: ConfigValues, path: string): number | undefined {
  const value = valueAt(config, path);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The number at a path, if the config has it itself and does not refer to another key. */
export function ownNumberAt(config: ConfigValues, path: string): number | undefined {
  return typeof rawAt(config, path.split('.')) === 'number' ? numberAt(config, path) : undefined;
}

/** The text at a path; undefined if there is none. */
export function textAt(config: ConfigValues, path: string): string | undefined {
  const value = valueAt(config, path);
  return typeof value === 'string' ? value : undefined;
}

/** All texts in a config, with their paths. */
export function textsOf(value: unknown, path = ''): { path: string; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => textsOf(item, path === '' ? key : `${path}.${key}`));
}

function resolved(config: ConfigValues, keys: readonly string[], depth: number): unknown {
  const value = rawAt(config, keys);
  return typeof value === 'string' ? interpolated(config, value, keys, depth) : value;
}

function interpolated(config: ConfigValues, text: string, keys: readonly string[], depth: number): unknown {
  if (depth > DEPTH || text === '???') return undefined;
  const [, dots = '', reference] = REFERENCE.exec(text) ?? [];
  if (reference !== undefined) {
    // One dot is the map of the key itself, each further dot the map above it.
    const start = dots === '' ? [] : keys.slice(0, -dots.length);
    return resolved(config, [...start, ...reference.split('.')], depth + 1);
  }
  const factors = PRODUCT.exec(text)?.[1]?.split(',');
  if (!factors) return text.includes('${') ? undefined : text;
  return factors.reduce<number>((product, factor) => {
    const value = interpolated(config, factor.trim(), keys, depth + 1);
    return product * Number(value ?? Number.NaN);
  }, 1);
}

function rawAt(config: ConfigValues, keys: readonly string[]): unknown {
  let node: unknown = config;
  for (const key of keys) node = isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined;
  return node;
}
