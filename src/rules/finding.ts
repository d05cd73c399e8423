import { UserError } from '../errors.js';

/** One thing that Gym, a trainer or the Platform would refuse. */
export interface Finding {
  /** Stable and greppable, such as `tool-route`. */
  code: string;
  /** What it is about: `split 'a/b'`, `tool 'verify'`, `task train[3] 'day-3'`. */
  where: string;
  what: string;
  /** The option or edit that mends it. */
  fix: string;
}

export function describe(finding: Finding): string {
  return `${finding.where}: ${finding.what} [${finding.code}]; ${finding.fix}`;
}

/**
 * Collects findings, each once, so that a user reads all of them at once; `limit` bounds what a hostile server can make us
 * hold.
 */
export class Findings {
  private readonly found: Finding[] = [];
  private more = 0;

  constructor(private readonly limit = 50) {}

  add(findings: Iterable<Finding>): void {
    for (const finding of findings) {
      if (this.found.length >= this.limit) this.more += 1;
      else if (!this.found.some((one) => describe(one) === describe(finding))) this.found.push(finding);
    }
  }

  get list(): readonly Finding[] {
    return this.found;
  }

  get any(): boolean {
    return this.found.length > 0;
  }

  /** @throws UserError naming every finding */
  throwIfAny(what: string): void {
    if (!this.any) return;
    const details = this.found.map(describe);
    if (this.more > 0) details.push(`and ${this.more} more`);
    throw new UserError(what, { details });
  }
}
