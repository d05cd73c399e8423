import { formatCount } from '../display-text.js';
import type { Estimate } from './estimates.js';
import { formatReward } from './reward-text.js';

/** `95 % interval 0.236 to 0.328` */
export function formatInterval({ low, high }: Estimate): string {
  if (low === undefined || high === undefined) return 'too few tasks for an interval';
  return `95 % interval ${formatReward(low)} to ${formatReward(high)}`;
}

/** `42 %`, and `<1 %` for a small share that is not zero. */
export function formatShare(count: number, all: number): string {
  if (all === 0) return '–';
  const percent = (100 * count) / all;
  if (percent > 0 && percent < 1) return '<1 %';
  if (percent > 99 && percent < 100) return '>99 %';
  return `${Math.round(percent)} %`;
}

/** A whole number with commas, or a fraction with one decimal. */
export function formatAmount(number: number): string {
  return Number.isInteger(number)
    ? formatCount(number)
    : number < 100
      ? number.toFixed(1)
      : formatCount(Math.round(number));
}
