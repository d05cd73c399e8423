import { formatCount, plural } from '../display-text.js';
import type { Spread } from './estimates.js';
import { formatAmount, formatInterval, formatShare } from './format.js';
import { formatReward } from './reward-text.js';
import type { Change, Summary } from './summary.js';

/** A figure at the top of the page. */
export interface Figure {
  name: string;
  value: string;
  note: string;
  /** Filter that shows the rollouts behind it. */
  filter?: string;
  /** For the change between two runs. */
  share?: number;
  amount?: number;
}

/** The figures of one run, in the order of the page. */
export function figuresOf(summary: Summary): Figure[] {
  const { rollouts, scored, reward, zero, masked, withoutCall, calls, repeated, withoutSignal } = summary;
  const open = rollouts - masked;
  return [
    {
      name: 'Mean reward',
      value: reward ? formatReward(reward.mean) : '–',
      note: reward ? formatInterval(reward) : 'no rollout is scored',
    },
    linked('Masked', masked, rollouts, 'is:masked'),
    linked('Reward 0', zero, scored, 'is:zero'),
    linked('No tool called', withoutCall, open, 'is:no-call'),
    {
      name: 'Calls per rollout',
      value: calls ? formatAmount(round(calls.mean)) : '–',
      note: between(calls),
      ...(calls ? { amount: calls.mean } : {}),
    },
    repeated === 0
      ? { name: 'Groups without signal', value: '–', note: 'no task was repeated' }
      : linked('Groups without signal', withoutSignal, repeated, 'is:no-signal'),
  ];
}

function linked(name: string, count: number, all: number, filter: string): Figure {
  const note = `${formatCount(count)} of ${formatCount(all)}`;
  const value = formatShare(count, all);
  return { name, value, note, ...(count > 0 ? { filter } : {}), ...(all > 0 ? { share: count / all } : {}) };
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}

function between(spread: Spread | undefined): string {
  if (!spread) return '';
  return spread.least === spread.most
    ? 'in every rollout'
    : `${formatAmount(spread.least)} to ${formatAmount(spread.most)}`;
}

export interface Comparison {
  heads: { name: string; series: number }[];
  /** Whether there is a last column with the change. */
  change: boolean;
  rows: { name: string; cells: { value: string; note: string }[] }[];
}

/** The figures of several runs side by side. @param change from the first to the second, if there are two */
export function comparisonOf(names: readonly string[], summaries: readonly Summary[], change?: Change): Comparison {
  const columns = summaries.map((summary) => [...figuresOf(summary), ...tokens(summary)]);
  const rows = (columns[0] ?? []).map(({ name }, at) => {
    const cells = columns.map((column) => ({ value: column[at]?.value ?? '–', note: column[at]?.note ?? '' }));
    const [first, second] = columns.map((column) => column[at] as Figure);
    if (change && first && second) cells.push(at === 0 ? rewardChange(change) : plainChange(first, second));
    return { name, cells };
  });
  return { heads: names.map((name, series) => ({ name, series })), change: change !== undefined, rows };
}

function tokens({ rollouts, tasks, generated, prompt }: Summary): Figure[] {
  const figure = (name: string, spread: Spread | undefined): Figure => ({
    name,
    value: spread ? formatAmount(Math.round(spread.mean)) : '–',
    note: spread ? `mean; at most ${formatAmount(spread.most)}` : 'not counted',
    ...(spread ? { amount: spread.mean } : {}),
  });
  return [
    figure('Generated tokens', generated),
    figure('Prompt tokens', prompt),
    { name: 'Rollouts', value: formatAmount(rollouts), note: `of ${plural(tasks, 'task')}` },
  ];
}

/** The difference of means of the tasks that both have. */
function rewardChange({ tasks, reward }: Change): { value: string; note: string } {
  if (!reward) return { value: '–', note: 'no task in common' };
  return {
    value: signed(reward.mean, formatReward),
    note: `${formatInterval(reward)}, ${plural(tasks, 'task')} in common`,
  };
}

function plainChange(first: Figure, second: Figure): { value: string; note: string } {
  if (first.share !== undefined && second.share !== undefined) {
    return { value: signed(100 * (second.share - first.share), (points) => points.toFixed(0)), note: 'points' };
  }
  if (first.amount === undefined || second.amount === undefined) return { value: '', note: '' };
  const isSmall = first.amount < 100 && second.amount < 100;
  return { value: signed(second.amount - first.amount, (amount) => amount.toFixed(isSmall ? 1 : 0)), note: '' };
}

function signed(number: number, format: (number: number) => string): string {
  const text = format(Math.abs(number));
  if (/^[0.]*$/.test(text)) return text;
  return `${number > 0 ? '+' : '−'}${text}`;
}
