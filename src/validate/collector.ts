import type { RuleFinding } from '../rules/index.js';

/** Findings of one rule in one file that are kept. The others are counted. */
const KEPT = 5;

/** A finding, and how many more of its rule were found in its file. */
export interface Found extends RuleFinding {
  /** Only on the last finding that is kept. */
  more: number;
}

/** Collects findings in bounded memory: a file may have a problem in each of a million rows. */
export class Collector {
  private readonly kept: Found[] = [];
  private readonly counts = new Map<string, { count: number; last: Found }>();

  add(findings: Iterable<RuleFinding>): void {
    for (const finding of findings) {
      const key = `${finding.code}\0${finding.at.file}`;
      const known = this.counts.get(key);
      if (known !== undefined && known.count >= KEPT) {
        known.last.more += 1;
        continue;
      }
      const found = { ...finding, more: 0 };
      this.kept.push(found);
      this.counts.set(key, { count: (known?.count ?? 0) + 1, last: found });
    }
  }

  get list(): readonly Found[] {
    return this.kept;
  }
}
