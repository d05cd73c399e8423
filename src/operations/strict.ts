import { EXIT, UserError } from '../errors.js';
import type { Progress, Reporter, SentRequest } from '../reporter.js';

/** Warnings with `--strict`: problems were found, so the exit code is 1. */
export class StrictError extends UserError {
  override readonly name = 'StrictError';
  override readonly code = 'warnings';
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

  progress(progress: Progress): void {
    this.reporter.progress(progress);
  }

  request(request: SentRequest): void {
    this.reporter.request?.(request);
  }

  /** @throws StrictError if there was a warning */
  assertNone(): void {
    if (this.count === 0) return;
    const warnings = this.count === 1 ? '1 warning' : `${this.count} warnings`;
    throw new StrictError(`${warnings} with --strict; nothing was written`, {
      fix: 'fix the problems that the warnings name, or leave out --strict',
    });
  }
}
