import { formatCount } from '../../display-text.js';
import { formatInterval, formatReward, type Report, type Run } from '../../report/index.js';

/** A report in a few lines. */
export function summaryLines(report: Report): string[] {
  if (report.kind === 'server') {
    return report.splits.map(({ name, rows }) => `${name}: ${formatCount(rows)} rows`);
  }
  return report.runs.flatMap(runLines);
}

function runLines({ file, summary, unreadable }: Run): string[] {
  const { rollouts, masked, reward } = summary;
  const mean = reward ? `mean reward ${formatReward(reward.mean)} (${formatInterval(reward)})` : 'none is scored';
  return [
    `${file}: ${formatCount(rollouts)} rollouts, ${mean}, ${formatCount(masked)} masked`,
    ...unreadable.first.map(({ line, problem }) => `${file}:${line}: ${problem}`),
    ...(unreadable.count > unreadable.first.length
      ? [`and ${formatCount(unreadable.count - unreadable.first.length)} more lines that could not be read`]
      : []),
  ];
}
