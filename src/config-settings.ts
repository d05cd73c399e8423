import { isMap, isScalar, LineCounter, type Node, type Pair, type YAMLMap } from 'yaml';
import { isRecord } from './json/guards.js';
import { yamlDocument, yamlValues } from './read-yaml.js';
import { SETTING_KEYS, type SettingKey } from './settings.js';

/** The maps of a config that have settings. */
export type Place = 'server' | 'agent';

/** The keys that lead to these maps. */
export type SettingMaps = Readonly<Record<Place, readonly string[]>>;

/** The lines of one setting: its key and value, and the comments directly above. */
export interface SettingBlock {
  key: SettingKey;
  place: Place;
  value: unknown;
  lines: string[];
}

/** A config, taken apart into the settings of the user and everything else. */
export interface ConfigParts {
  /** The values of the settings, also of a map in flow style, which has no blocks. */
  settings: ReadonlyMap<SettingKey, unknown>;
  blocks: SettingBlock[];
  /** All lines without those of the blocks. */
  rest: string[];
  /** Where settings go, as an index of `rest`, and how far their keys are indented. */
  slots: Partial<Record<Place, { at: number; indent: number }>>;
  /** All values of the config. */
  values: unknown;
}

/**
 * Takes a config apart. A key that its map has twice is not a setting, because YAML does not say which of them counts.
 * @param maps where the settings are
 * @param path of the file, for messages
 * @returns undefined if the text is not valid YAML
 * @throws UserError if the text exceeds a limit
 */
export function configParts(text: string, maps: SettingMaps, path: string): ConfigParts | undefined {
  const source = text.replaceAll('\r\n', '\n');
  const counter = new LineCounter();
  const document = yamlDocument(source, path, { version: '1.1', lineCounter: counter });
  if (document.errors.length > 0) return undefined;
  const values = yamlValues(document, path, counter);
  const lines = source.split('\n');
  const settings = new Map<SettingKey, unknown>();
  const blocks: (SettingBlock & Range)[] = [];
  const slots: Record<string, { line: number; indent: number }> = {};
  for (const [place, keys] of Object.entries(maps) as [Place, readonly string[]][]) {
    const map = document.getIn(keys, true);
    const entries = keys.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), values);
    if (!isMap(map) || !isRecord(entries)) continue;
    for (const key of settingKeys(map, place)) settings.set(key, entries[key]);
    if (map.flow) continue;
    const range = new LineRanges(source, lines, counter, map, entries);
    blocks.push(...range.settings(place));
    slots[place] = range.slot(blocks);
  }
  const taken = new Set(blocks.flatMap(({ first, last }) => numbers(first, last)));
  const before = (line: number) => line - [...taken].filter((one) => one < line).length;
  return {
    settings,
    blocks: blocks.map(({ first: _, last: __, ...block }) => block),
    rest: lines.filter((_, line) => !taken.has(line)),
    slots: Object.fromEntries(
      Object.entries(slots).map(([place, { line, indent }]) => [place, { at: before(line), indent }]),
    ),
    values,
  };
}

/** The settings of a map, without keys that it has twice. */
function settingKeys({ items }: YAMLMap, place: Place): SettingKey[] {
  const keys = items.map(({ key }) => (isScalar(key) ? key.value : undefined));
  const isHere = (key: SettingKey) => (key === 'max_steps') === (place === 'agent');
  return SETTING_KEYS.filter((key) => isHere(key) && keys.filter((one) => one === key).length === 1);
}

/** First and last line, from 0. */
interface Range {
  first: number;
  last: number;
}

/** Finds the lines of the keys of one block map. */
class LineRanges {
  constructor(
    private readonly source: string,
    private readonly lines: readonly string[],
    private readonly counter: LineCounter,
    private readonly map: YAMLMap,
    private readonly values: Record<string, unknown>,
  ) {}

  settings(place: Place): (SettingBlock & Range)[] {
    const keys = settingKeys(this.map, place);
    return this.map.items.flatMap((pair) => {
      const key = keys.find((one) => isScalar(pair.key) && pair.key.value === one);
      const range = this.range(pair);
      if (key === undefined || !range) return [];
      while (/^\s*#/.test(this.lines[range.first - 1] ?? '')) range.first -= 1;
      return [{ key, place, value: this.values[key], lines: this.lines.slice(range.first, range.last + 1), ...range }];
    });
  }

  /** The line of the first setting; without any, the line behind the other keys, but before the datasets. */
  slot(blocks: readonly (SettingBlock & Range)[]): { line: number; indent: number } {
    const ranges = this.map.items.flatMap((pair) => this.range(pair) ?? []);
    const others = this.map.items.filter(({ key }) => !(isScalar(key) && key.value === 'datasets'));
    const last = Math.max(...others.map((pair) => this.range(pair)?.last ?? 0));
    const mine = blocks.filter(({ first, last }) => ranges.some((range) => range.first >= first && range.last <= last));
    const line = Math.min(...mine.map(({ first }) => first), last + 1);
    return { line, indent: (this.lines[ranges[0]?.first ?? 0] ?? '').search(/\S|$/) };
  }

  /** Undefined if the key is not the first text of its line. */
  private range({ key, value }: Pair): Range | undefined {
    const start = (key as Node).range?.[0];
    if (start === undefined) return undefined;
    let end = (value as Node | null)?.range?.[1] ?? start + 1;
    while (end > start + 1 && /\s/.test(this.source[end - 1] ?? '')) end -= 1;
    const [first, last] = [this.lineOf(start), this.lineOf(end - 1)];
    const column = start - (this.counter.lineStarts[first] ?? 0);
    return this.lines[first]?.slice(0, column).trim() === '' ? { first, last } : undefined;
  }

  private lineOf(offset: number): number {
    return this.counter.linePos(offset).line - 1;
  }
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

/** The text of a config without its settings; the whole text if it is not valid YAML. */
export function withoutSettings(text: string, maps: SettingMaps): string {
  return configParts(text, maps, '')?.rest.join('\n') ?? text;
}

/** Whether two configs have the same values, whatever their comments, order and spelling. */
export function hasSameValues(one: string, other: string, maps: SettingMaps): boolean {
  const [first, second] = [one, other].map((text) => configParts(text, maps, ''));
  return first !== undefined && second !== undefined && isSameValue(first.values, second.values);
}

function isSameValue(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => isSameValue(item, other[at]));
  }
  if (!isRecord(one) || !isRecord(other)) return Object.is(one, other);
  const keys = Object.keys(one);
  const isIn = (key: string) => Object.hasOwn(other, key) && isSameValue(one[key], other[key]);
  return keys.length === Object.keys(other).length && keys.every(isIn);
}
