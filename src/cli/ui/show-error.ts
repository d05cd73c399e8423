import { EXIT, UserError } from '../../errors.js';
import type { Mark, Terminal } from './terminal.js';

const ERROR: Mark = { text: 'error:', colour: 'red' };
const REPORT = 'this is a bug of gymgen: please report it with the lines above, and what you ran';

/** Tells what went wrong: what, where and how to fix it; a stack only for a bug. @returns the exit code */
export function showError(error: unknown, terminal: Terminal): number {
  if (!(error instanceof UserError)) {
    terminal.line(error instanceof Error ? (error.stack ?? error.message) : String(error), ERROR);
    terminal.line(REPORT);
    terminal.document({ error: { what: String(error), bug: true }, exitCode: EXIT.failed });
    return EXIT.failed;
  }
  showUserError(error, terminal);
  terminal.document({ error: errorDocument(error), exitCode: error.exitCode });
  return error.exitCode;
}

export function showUserError(error: UserError, terminal: Terminal): void {
  const { message: what, where, fix, details } = error;
  terminal.line(what, ERROR);
  for (const detail of details) terminal.line(`  - ${detail}`);
  if (where) terminal.line(`  at:  ${where}`);
  if (fix) terminal.line(`  fix: ${fix}`);
  if (error.cause)
    terminal.detail(`  cause: ${error.cause instanceof Error ? error.cause.stack : String(error.cause)}`);
}

export function errorDocument({ message: what, where, details, fix }: UserError): object {
  return { what, where, details, fix };
}
