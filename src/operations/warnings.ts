import type { Reporter } from '../discover/index.js';
import { EXIT, UserError } from '../errors.js';

/** Warnings that `--strict` makes errors: exit code 1, since problems were found. */
export class StrictError extends UserError {
  override readonly name = 'StrictError';
  override readonly exitCode = EXIT.problems;
}

/** A reporter that counts warnings, for `--strict`. */
export class Warnings implements Reporter {
  count = 0;

  constructor(private readonly reporter: Reporter) {}

  note(text: string): void {
    this.reporter.note?.(text);
  }

  warn(text: string): void {
    this.count += 1;
    this.reporter.warn(text);
  }

  progress(text: string): void {
    this.reporter.progress(text);
  }

  /** @throws StrictError if there was a warning */
  assertNone(): void {
    if (this.count === 0) return;
    const warnings = this.count === 1 ? '1 warning' : `${this.count} warnings`;
    throw new StrictError(`${warnings} with --strict; nothing was written`, {
      fix: 'correct what the warnings name, or leave --strict out',
    });
  }
}
