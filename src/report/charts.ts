import { formatCount, plural } from '../display-text.js';
import { binsOf, histogram, spread } from './estimates.js';
import { formatAmount } from './format.js';
import { formatReward } from './reward-text.js';
import { isScored, type Rollout } from './rollout.js';
import { type Count, numbers, type Summary } from './summary.js';
import { shortText } from './visible-text.js';

const BINS = 20;
/** Bars of a chart. Rarer names are counted together. */
const BARS = 12;

/** A chart that the script of the page draws. */
export interface ChartData {
  start: number;
  step: number;
  /** Counts by file. */
  series: number[][];
  limit?: number;
  /** Whether the values are counts of something. */
  whole: boolean;
  /** What is counted: `rollout` or `row`. */
  unit: string;
}

export interface Chart {
  key: string;
  title: string;
  note: string;
  /** For screen readers. */
  label: string;
  data: ChartData;
}

/** The histograms of one or more runs; one without values is left out. @param limit tokens of a sequence */
export function chartsOf(runs: readonly (readonly Rollout[])[], limit?: number): Chart[] {
  const rewards = runs.map((rollouts) => rollouts.filter(isScored).map(({ reward }) => reward));
  const tokens = (key: 'generated' | 'prompt' | 'sequence') => runs.map((rollouts) => numbers(rollouts, key));
  return [
    chart('reward', 'Rewards', rewards, { format: formatReward }),
    chart('generated', 'Generated tokens', tokens('generated'), { whole: true }),
    chart('prompt', 'Prompt tokens', tokens('prompt'), { whole: true, limit }),
    chart('sequence', 'Tokens of the whole sequence', tokens('sequence'), { whole: true, limit }),
  ].flatMap((each) => each ?? []);
}

interface ChartOptions {
  /** For counts of something. */
  whole?: boolean;
  limit?: number | undefined;
  unit?: string;
  format?: (number: number) => string;
}

export function chart(
  key: string,
  title: string,
  series: readonly (readonly number[])[],
  { whole = false, limit, unit = 'rollout', format = formatAmount }: ChartOptions,
): Chart | undefined {
  const values = series.flat();
  const all = spread(values);
  if (!all) return undefined;
  const isNear = limit !== undefined && limit <= 2 * all.most; // otherwise, all bars would be in a corner
  const around = whole && all.least === all.most ? [Math.max(0, all.least - BINS / 2), all.most + BINS / 2] : [];
  const edges = [...values, ...around, ...(isNear ? [limit] : [])];
  const bins = binsOf(edges, BINS, { whole, unit: key === 'reward' });
  const note = [`median ${format(whole ? Math.round(all.median) : all.median)}`, `at most ${format(all.most)}`];
  if (limit !== undefined) note.push(overNote(values, limit));
  return {
    key,
    title,
    note: note.join(', '),
    label: `Histogram. ${title}: ${plural(all.count, 'value')}, ${note.join(', ')}.`,
    data: {
      start: bins.start,
      step: bins.step,
      series: series.map((each) => histogram(each, bins).counts),
      ...(isNear ? { limit } : {}),
      whole,
      unit,
    },
  };
}

function overNote(values: readonly number[], limit: number): string {
  const over = values.filter((value) => value > limit).length;
  return `${over === 0 ? 'none' : formatCount(over)} over the limit of ${formatCount(limit)}`;
}

export interface Bars {
  kind: 'masks' | 'tools';
  title: string;
  note: string;
  rows: { name: string; detail: string; filter?: string; bars: { series: number; width: string; count: string }[] }[];
}

/** Masks by kind and tools by name, as bars by run. */
export function barsOf(summaries: readonly Summary[]): Bars[] {
  const reasons = new Map(summaries.flatMap(({ masks }) => masks.map(({ name, reason }) => [name, reason])));
  const masks = bars(
    summaries.map((summary) => summary.masks),
    (name) => ({
      detail: shortText(reasons.get(name) ?? '', 140),
      filter: quoted('mask', name),
    }),
  );
  const tools = bars(
    summaries.map((summary) => summary.tools),
    (name) => ({ detail: '', filter: quoted('tool', name) }),
  );
  return [
    { kind: 'masks' as const, title: 'Masked, by kind', note: 'rollouts, with the first reason', rows: masks },
    { kind: 'tools' as const, title: 'Tools called', note: 'calls', rows: tools },
  ].filter(({ rows }) => rows.length > 0);
}

function quoted(key: string, value: string): string {
  return /[\s"]/.test(value) ? `${key}:"${value.replaceAll('"', '')}"` : `${key}:${value}`;
}

function bars(
  lists: readonly (readonly Count[])[],
  about: (name: string) => { detail: string; filter: string },
): Bars['rows'] {
  const counts = lists.map((list) => new Map(list.map(({ name, count }) => [name, count])));
  const total = (name: string) => counts.reduce((sum, each) => sum + (each.get(name) ?? 0), 0);
  const names = [...new Set(lists.flatMap((list) => list.map(({ name }) => name)))].sort((a, b) => total(b) - total(a));
  const rest = names.slice(BARS);
  const rows = names
    .slice(0, BARS)
    .map((name) => ({ name, ...about(name), values: counts.map((each) => each.get(name) ?? 0) }));
  const others = counts.map((each) => rest.reduce((sum, name) => sum + (each.get(name) ?? 0), 0));
  const all =
    rest.length > 0 ? [...rows, { name: `${plural(rest.length, 'other name')}`, detail: '', values: others }] : rows;
  const most = Math.max(1, ...all.flatMap(({ values }) => values));
  return all.map(({ values, ...row }) => ({
    ...row,
    bars: values.map((value, series) => ({
      series,
      width: String(Math.round((1000 * value) / most) / 10),
      count: formatCount(value),
    })),
  }));
}
