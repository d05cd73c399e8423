import { describe, expect, test } from 'vitest';
import { binsOf, estimate, histogram, spread, tQuantile } from '../../src/report/estimates.js';

describe('the interval of a mean', () => {
  test('of one value a group is the ordinary t interval', () => {
    // mean 2.5, variance 5/3, standard error 0.645497; t with 3 degrees of freedom is 3.18245
    const { mean, low, high } = estimate([[1], [2], [3], [4]]) ?? { mean: Number.NaN };
    expect(mean).toBe(2.5);
    expect(low).toBeCloseTo(2.5 - 2.0543, 2);
    expect(high).toBeCloseTo(2.5 + 2.0543, 2);
  });

  test('does not shrink if each value is repeated', () => {
    const single = estimate([[0], [1], [1], [0], [1]]);
    const repeated = estimate([
      [0, 0, 0],
      [1, 1, 1],
      [1, 1, 1],
      [0, 0, 0],
      [1, 1, 1],
    ]);
    expect(repeated?.mean).toBeCloseTo(single?.mean ?? 0, 12);
    expect(repeated?.low).toBeCloseTo(single?.low ?? 0, 12);
  });

  test('of groups of different sizes weighs each value', () => {
    // mean 0.25; sums less their expected values: 1 - 0.75 = 0.25 and 0 - 0.25 = -0.25;
    // standard error sqrt(0.125 * 2) / 4 = 0.125; t with 1 degree of freedom is 12.7062
    expect(estimate([[1, 0, 0], [0]])).toEqual({
      mean: 0.25,
      low: expect.closeTo(0.25 - 1.588_275_6, 5),
      high: expect.closeTo(0.25 + 1.588_275_6, 5),
    });
  });

  test('is missing for one group, and the mean for none', () => {
    expect(estimate([[1, 2]])).toEqual({ mean: 1.5 });
    expect(estimate([[], []])).toBeUndefined();
  });
});

// Tables of Student's t, 0.975
test.each([
  [1, 12.7062],
  [2, 4.3027],
  [3, 3.1824],
  [4, 2.7764],
  [9, 2.2622],
  [30, 2.0423],
  [199, 1.972],
  [100_000, 1.96],
])('the t quantile for %i degrees of freedom is %f', (freedom, quantile) => {
  expect(Math.abs(tQuantile(freedom) / quantile - 1)).toBeLessThan(0.002);
});

test('a spread has the quantiles that numpy gives', () => {
  expect(spread([4, 1, 3, 2])).toEqual({
    count: 4,
    mean: 2.5,
    least: 1,
    median: 2.5,
    p95: expect.closeTo(3.85, 10),
    most: 4,
  });
  expect(spread([7])).toEqual({ count: 1, mean: 7, least: 7, median: 7, p95: 7, most: 7 });
  expect(spread([])).toBeUndefined();
});

describe('histograms', () => {
  const counted = (values: number[], most: number, options = {}) => histogram(values, binsOf(values, most, options));

  test('of rewards from 0 to 1 have as many bins as asked, and 1 is in the last one', () => {
    const { start, step, counts } = counted([0, 0.05, 0.1, 0.3, 0.999, 1], 10, { unit: true });
    expect({ start, step, counts }).toEqual({ start: 0, step: 0.1, counts: [2, 1, 0, 1, 0, 0, 0, 0, 0, 2] });
  });

  test('of other rewards have round edges', () => {
    const { start, step, counts } = counted([-1, 2.5, 5], 10, { unit: true });
    expect({ start, step }).toEqual({ start: -1, step: 1 });
    expect(counts).toEqual([1, 0, 0, 1, 0, 1]);
  });

  test('of counts have no bin narrower than 1', () => {
    expect(counted([3, 3, 4], 20, { whole: true })).toEqual({ start: 3, step: 1, counts: [3] });
    expect(counted([1510, 1530], 20, { whole: true }).counts).toHaveLength(20);
    expect(counted([5], 20, { whole: true })).toEqual({ start: 5, step: 1, counts: [1] });
  });

  test.each([[[1e300, -1e300]], [[1e-300, 2e-300]], [[Number.MAX_VALUE, -Number.MAX_VALUE]], [[1e20, 1e20 + 16_384]]])(
    'of extreme values %j count each value once',
    (values) => {
      const { counts } = counted(values, 20);
      expect(counts.length).toBeLessThanOrEqual(40);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(values.length);
    },
  );
});
