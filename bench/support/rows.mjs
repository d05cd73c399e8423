// The rows of the table: gymgen's figure, the figure to compare with, their ratio, and the bound.

export function row(what, ours, against, theirs, ratio, target, { over, target: targetText, met } = {}) {
  return {
    what,
    ours,
    against: `${against}: ${theirs}`,
    ratio: over ?? ratio.toFixed(ratio < 1 ? 3 : 2),
    target: targetText ?? (target === undefined ? '' : `${target}`),
    met: met ?? (target === undefined || ratio <= target),
  };
}

export function time(what, ours, against, theirs, target) {
  const shown = ({ seconds }) => `${seconds.toFixed(2)} s`;
  return row(`${what}: time`, shown(ours), against, shown(theirs), ours.seconds / theirs.seconds, target);
}

export function memory(what, ours, against, theirs, target) {
  return row(
    `${what}: memory`,
    shownBytes(ours.bytes),
    against,
    shownBytes(theirs.bytes),
    ours.bytes / theirs.bytes,
    target,
  );
}

export function shownBytes(bytes) {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** The rows as a Markdown table. */
export function table(rows) {
  const cells = rows.map(({ what, ours, against, ratio, target, met }) => [
    what,
    ours,
    against,
    ratio,
    met ? target : `${target}, missed`,
  ]);
  const head = ['what', 'gymgen', 'against', 'ratio', 'bound'];
  return [head, head.map(() => '---'), ...cells].map((each) => `| ${each.join(' | ')} |`).join('\n');
}
