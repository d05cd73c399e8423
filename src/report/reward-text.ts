/** A reward: three decimals, fewer for large numbers. The script of the page imports it, too. */
export function formatReward(number: number): string {
  const size = Math.abs(number);
  if (size >= 1e6) return number.toPrecision(4);
  return number.toFixed(size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0);
}
