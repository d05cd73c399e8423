import path from 'node:path';
import { formatCount, plural } from '../../display-text.js';
import type { PlayDocument } from '../../documents/schemas/play.js';
import type { PlayReport } from '../../operations/play.js';
import { gymgenCommand } from '../../printed-command.js';
import {
  formatAmount,
  formatInterval,
  formatReward,
  formatShare,
  type Spread,
  type Summary,
} from '../../report/index.js';

export function playDocument({ model, summary, ...report }: PlayReport): PlayDocument {
  return {
    status: 'played',
    ...report,
    ...(model ? { model: { type: model.type, url: model.url, name: model.model } } : {}),
    summary,
  };
}

/** How the rollouts were played, if not with a model and the user's own environment. */
export interface PlayContext {
  /** Whether `--policy idle` played. */
  isIdle?: boolean;
  /** Whether the built-in example was played. */
  isDemo?: boolean;
}

/** The summary of a run, line by line. */
export function summaryLines(report: PlayReport, context: PlayContext = {}): string[] {
  const { servers, summary, failed } = report;
  return [
    ...servers.map(({ name, split, rows }) => `${name}: ${plural(rows, 'row')} of ${split}`),
    rewardLine(summary),
    ...meaningLine(context),
    ...histogramLines(report.histogram),
    ...maskLines(summary),
    ...(failed > 0 ? [`${plural(failed, 'rollout')} failed and left out: see rollouts_failures.jsonl`] : []),
    ...callLines(report),
    ...groupLines(summary),
    timeLine(report),
    `files: ${path.join(report.folder, 'rollouts.jsonl')}, gym.log, …`,
    `report: ${gymgenCommand`report ${path.join(report.folder, 'rollouts.jsonl')}`}`,
  ];
}

function rewardLine({ rollouts, scored, masked, withoutReward, reward }: Summary): string {
  const without = [
    ...(masked > 0 ? [`${formatCount(masked)} masked`] : []),
    ...(withoutReward > 0 ? [`${formatCount(withoutReward)} without reward`] : []),
  ];
  const leftOut = without.length > 0 ? `; left out: ${without.join(', ')}` : '';
  if (!reward) return `mean reward: none of ${plural(rollouts, 'rollout')} has a score${leftOut}`;
  return `mean reward ${formatReward(reward.mean)} (${formatInterval(reward)}) of ${plural(scored, 'rollout')}${leftOut}`;
}

/** How to read the mean reward. */
function meaningLine({ isIdle, isDemo }: PlayContext): string[] {
  if (isDemo && isIdle) return ['  idle calls no tool, so 0 is expected (no profit: 0.2, best schedule: 1)'];
  if (isDemo) return ['  no schedule: 0, no profit: 0.2, best schedule of the day: 1'];
  return isIdle ? ['  idle calls no tool: a model must score more'] : [];
}

/** Characters of the longest bar. */
const BAR = 30;

function histogramLines(histogram: PlayReport['histogram']): string[] {
  if (!histogram) return [];
  const { start, step, counts } = histogram;
  const most = Math.max(...counts);
  const edges = counts.map((_, at) => formatReward(start + at * step));
  const width = Math.max(...edges.map(({ length }) => length));
  const isEmpty = (at: number) => counts[at] === 0;
  return counts.flatMap((count, at) => {
    if (isEmpty(at) && isEmpty(at - 1)) return []; // the line before has both
    const edge = isEmpty(at) && isEmpty(at + 1) ? '…' : (edges[at] as string);
    const bar = '█'.repeat(Math.ceil((BAR * count) / most));
    return `  ${edge.padStart(width)}  ${bar}${bar && ' '}${formatCount(count)}`;
  });
}

/** Kinds that are shown. */
const KINDS = 8;

function maskLines({ masked, rollouts, masks }: Summary): string[] {
  if (masked === 0) return [];
  return [
    `masked: ${formatCount(masked)} of ${formatCount(rollouts)}`,
    ...masks.slice(0, KINDS).map(({ name, count, reason }) => `  ${formatCount(count)} ${name}: ${reason}`),
    ...(masks.length > KINDS ? [`  and ${plural(masks.length - KINDS, 'more kind')}`] : []),
  ];
}

/** Above this share of rollouts without a call, the cause is usually not the model. */
const FEW_CALLS = 0.5;

function callLines({ model, summary }: PlayReport): string[] {
  const { rollouts, masked, withoutCall, calls, turns, prompt, generated } = summary;
  const open = rollouts - masked;
  const spreads = [
    ['tool calls', calls],
    ['model calls', turns],
    ['prompt tokens', prompt],
    ['generated tokens', generated],
  ] as const;
  const amounts = spreads.flatMap(([what, spread]) => (spread ? [`${what} ${inShort(spread)}`] : []));
  return [
    `no tool called: ${formatShare(withoutCall, open)} (${formatCount(withoutCall)} of ${formatCount(open)})`,
    ...(model && open > 0 && withoutCall / open >= FEW_CALLS
      ? ['  usually the model server has no tool parser; vLLM: --enable-auto-tool-choice --tool-call-parser hermes']
      : []),
    ...(amounts.length > 0 ? [`per rollout, mean (maximum): ${amounts.join(', ')}`] : []),
  ];
}

function inShort({ mean, most }: Spread): string {
  return `${formatAmount(mean)} (${formatAmount(most)})`;
}

function groupLines({ repeated, withoutSignal }: Summary): string[] {
  if (repeated === 0) return [];
  return [`tasks whose repeats all scored the same: ${formatCount(withoutSignal)} of ${formatCount(repeated)}`];
}

function timeLine({ times: { environment, start, rollouts, stop } }: PlayReport): string {
  const parts = { environment, start, rollouts, stop };
  return `seconds: ${Object.entries(parts)
    .map(([what, seconds]) => `${what} ${seconds.toFixed(1)}`)
    .join(', ')}`;
}
