/** A mean with its 95 % interval. */
export interface Estimate {
  mean: number;
  /** Missing if there are fewer than two groups. */
  low?: number;
  high?: number;
}

/**
 * The mean of all values, with an interval that allows for values of one group being alike: repeats of a task are not
 * independent. With one value per group, this is the ordinary t interval.
 * @see https://arxiv.org/abs/2411.00640, section 2.2: clustered standard errors
 */
export function estimate(groups: readonly (readonly number[])[]): Estimate | undefined {
  const filled = groups.filter((group) => group.length > 0);
  const count = filled.reduce((sum, group) => sum + group.length, 0);
  if (count === 0) return undefined;
  const mean = filled.reduce((sum, group) => sum + total(group), 0) / count;
  if (filled.length < 2) return { mean };
  const squares = filled.reduce((sum, group) => sum + (total(group) - group.length * mean) ** 2, 0);
  const error = Math.sqrt((squares * filled.length) / (filled.length - 1)) / count;
  const margin = tQuantile(filled.length - 1) * error;
  return { mean, low: mean - margin, high: mean + margin };
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Coefficients by power of the normal quantile z, and divisors (Abramowitz and Stegun, 26.7.5). */
const Z = 1.959_963_984_540_054;
const TERMS: readonly (readonly [divisor: number, coefficients: readonly number[]])[] = [
  [4, [1, 1]],
  [96, [5, 16, 3]],
  [384, [3, 19, 17, -15]],
  [92_160, [79, 776, 1482, -1920, -945]],
];

/** The 97.5 % quantile of Student's t distribution; within 0.2 % for three degrees of freedom, closer for more. */
export function tQuantile(freedom: number): number {
  if (freedom === 1) return 12.706_204_736;
  if (freedom === 2) return 4.302_652_73;
  return TERMS.reduce((sum, [divisor, coefficients], at) => {
    const term = coefficients.reduce((value, coefficient, index) => {
      return value + coefficient * Z ** (2 * (coefficients.length - index) - 1);
    }, 0);
    return sum + term / (divisor * freedom ** (at + 1));
  }, Z);
}

/** The distribution of values. */
export interface Spread {
  count: number;
  mean: number;
  least: number;
  median: number;
  /** 19 of 20 values are at or below it. */
  p95: number;
  most: number;
}

export function spread(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  const sorted = Float64Array.from(values).sort();
  return {
    count: sorted.length,
    mean: total(values) / sorted.length,
    least: sorted[0] as number,
    median: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    most: sorted.at(-1) as number,
  };
}

/** Interpolates between neighbours, as numpy does. */
function quantile(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)] as number, sorted[Math.ceil(at)] as number];
  return low + (high - low) * (at - Math.floor(at));
}

/** Counts of values between `start + i * step` and the next edge; the last bin has its upper edge, too. */
export interface Histogram {
  start: number;
  step: number;
  counts: number[];
}

/** Edges of a histogram, which several series can share. */
export type Bins = Pick<Histogram, 'start' | 'step'> & { count: number };

/**
 * Round edges that cover all values.
 * @param most number of bins
 * @param whole for counts, whose bins are not narrower than 1
 */
export function binsOf(values: readonly number[], most: number, { whole = false, unit = false } = {}): Bins {
  let [least, greatest] = unit ? [0, 1] : [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  if (least > greatest) [least, greatest] = [0, 1];
  if (unit && least === 0 && greatest === 1) return { start: 0, step: 1 / most, count: most };
  if (least === greatest) greatest = least + (whole ? 1 : Math.max(1e-9, Math.abs(least) * 0.1));
  const step = roundStep(greatest / most - least / most, whole);
  const start = Math.floor(least / step) * step;
  const count = Math.ceil(greatest / step - start / step - 1e-9);
  return { start, step, count: Math.min(2 * most, Math.max(1, count)) };
}

/** The next of 1, 2, 5 and 10 times a power of ten. */
function roundStep(least: number, whole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  const step = factor * power;
  return whole ? Math.max(1, step) : step;
}

export function histogram(values: readonly number[], { start, step, count }: Bins): Histogram {
  const counts = Array<number>(count).fill(0);
  for (const value of values) {
    const at = Math.floor(value / step - start / step + 1e-9);
    const bin = Math.min(count - 1, Math.max(0, at));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { start, step, counts };
}
