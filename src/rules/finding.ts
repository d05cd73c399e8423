import { maskCredentials } from '../credentials.js';
import { displayText } from '../display-text.js';
import { UserError } from '../errors.js';

/** Something that NeMo Gym, a trainer, NeMo Platform or a model's API would reject. */
export interface Finding {
  /** Stable, such as `tool-route`. */
  code: string;
  /** An error stops the run. A warning does not, because only some consumers reject it. */
  severity: 'error' | 'warning';
  /** What has the problem: `split 'a/b'`, `tool 'verify'`, `task train[3] 'day-3'`. */
  subject: string;
  /** Completes the subject to a sentence. */
  problem: string;
  /** An imperative with the option or the edit. */
  fix: string;
}

/** Creates an error. */
export function error(code: string, subject: string, problem: string, fix: string): Finding {
  return { code, severity: 'error', subject, problem, fix };
}

/** Creates a warning. */
export function warning(code: string, subject: string, problem: string, fix: string): Finding {
  return { code, severity: 'warning', subject, problem, fix };
}

/** A finding on one line. */
export function describe({ code, subject, problem, fix }: Finding): string {
  return `${subject}: ${problem} [${code}]; ${fix}`;
}

/** Collects findings without duplicates, so that all of them can be reported at once. */
export class Findings {
  private readonly errors: Finding[] = [];
  private readonly others: Finding[] = [];
  private more = 0;

  /** @param limit upper bound on the errors, and on the warnings, that are kept: a server may cause any number */
  constructor(private readonly limit = 50) {}

  add(findings: Iterable<Finding>): void {
    for (const finding of findings) {
      const list = finding.severity === 'error' ? this.errors : this.others;
      if (list.length < this.limit) {
        if (!list.some((one) => describe(one) === describe(finding))) list.push(finding);
      } else if (finding.severity === 'error') this.more += 1;
    }
  }

  /** The errors. */
  get list(): readonly Finding[] {
    return this.errors;
  }

  get warnings(): readonly Finding[] {
    return this.others;
  }

  /** Whether there are errors. */
  get any(): boolean {
    return this.errors.length > 0;
  }

  /** @throws UserError with all errors */
  throwIfAny(message: string): void {
    if (!this.any) return;
    const details = this.errors.map(describe);
    if (this.more > 0) details.push(`and ${this.more} more`);
    throw new UserError(message, { code: 'rejected', details });
  }
}

declare global {
  interface String {
    /** Exists in every supported Node, but not in TypeScript's ES2023 library. */
    isWellFormed(): boolean;
  }
}

/** The problem of a text that UTF-8 cannot encode. orjson rejects lone surrogates even as escapes. */
export const LONE_SURROGATE = 'has a lone surrogate, which is not valid UTF-8';

/** The fix for a problem that only some splits have. */
export const OMIT_SPLIT = 'pass the names of the other splits to --split';

/** Longer texts are cut in messages. */
const LONGEST = 60;

/** Untrusted text for a message: on one line, in single quotes, cut, without credentials. */
export function quote(text: string): string {
  const masked = maskCredentials(text);
  const cut = masked.length > LONGEST ? `${masked.slice(0, LONGEST)}…` : masked;
  return `'${displayText(JSON.stringify(cut).slice(1, -1).replaceAll('\\"', '"'))}'`;
}
