import { maskCredentials } from '../credentials.js';
import { displayText } from '../display-text.js';
import { UserError } from '../errors.js';

/** One thing that Gym, a trainer, the Platform or a model's API would refuse. */
export interface Finding {
  /** Stable and greppable, such as `tool-route`. */
  code: string;
  /** `warning`: only some refuse it, so it is written all the same. Default: `error`. */
  severity?: 'error' | 'warning';
  /** What it is about: `split 'a/b'`, `tool 'verify'`, `task train[3] 'day-3'`. */
  where: string;
  what: string;
  /** The option or edit that mends it. */
  fix: string;
}

export function describe(finding: Finding): string {
  return `${finding.where}: ${finding.what} [${finding.code}]; ${finding.fix}`;
}

/** A finding with its severity. */
export type Judged = Finding & Required<Pick<Finding, 'severity'>>;

/**
 * Collects findings, each once, so that a user reads all of them at once; `limit` bounds how many errors and how many warnings
 * a hostile server can make us hold.
 */
export class Findings {
  private readonly errors: Judged[] = [];
  private readonly others: Judged[] = [];
  private more = 0;

  constructor(private readonly limit = 50) {}

  add(findings: Iterable<Finding>): void {
    for (const { code, severity = 'error', ...rest } of findings) {
      const finding: Judged = { code, severity, ...rest };
      const list = severity === 'error' ? this.errors : this.others;
      if (list.length < this.limit) {
        if (!list.some((one) => describe(one) === describe(finding))) list.push(finding);
      } else if (severity === 'error') this.more += 1;
    }
  }

  /** The errors. */
  get list(): readonly Judged[] {
    return this.errors;
  }

  get warnings(): readonly Judged[] {
    return this.others;
  }

  /** Whether there are errors. */
  get any(): boolean {
    return this.errors.length > 0;
  }

  /** @throws UserError naming every error */
  throwIfAny(what: string): void {
    if (!this.any) return;
    const details = this.errors.map(describe);
    if (this.more > 0) details.push(`and ${this.more} more`);
    throw new UserError(what, { details });
  }
}

declare global {
  interface String {
    /** In every Node that gymgen runs on; TypeScript's ES2023 library doesn't list it yet. */
    isWellFormed(): boolean;
  }
}

const SHOWN = 60;

/** Whether a text has no lone surrogate, which is no UTF-8 and which orjson refuses even as an escape. */
export function wellFormed(text: string): boolean {
  return text.isWellFormed();
}

/** A text of others in a message: on one line, in single quotes, cut, without credentials. */
export function quote(text: string): string {
  const masked = maskCredentials(text);
  const cut = masked.length > SHOWN ? `${masked.slice(0, SHOWN)}…` : masked;
  return `'${displayText(JSON.stringify(cut).slice(1, -1).replaceAll('\\"', '"'))}'`;
}
