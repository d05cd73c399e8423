import type { CommanderError } from 'commander';
import { maskCredentials } from '../../credentials.js';
import { EXIT, systemError, UserError } from '../../errors.js';
import { gymgenCommand } from '../../printed-command.js';
import type { Mark, Terminal } from './terminal.js';
import { usageParts } from './usage-parts.js';

const ERROR: Mark = { text: 'error:', colour: 'red' };
const REPORT = 'this is a bug of gymgen: please report it with the lines above, and what you ran';

/** Tells what went wrong: what, where and how to fix it; a stack only for a bug. @returns the exit code */
export function showError(thrown: unknown, terminal: Terminal): number {
  const error = systemError(thrown) ?? thrown;
  if (!(error instanceof UserError)) {
    const [what, ...frames] = stackLines(error);
    terminal.line(what, ERROR);
    for (const frame of frames) terminal.line(frame);
    terminal.line(REPORT);
    terminal.document({ error: { what: maskCredentials(what), bug: true }, exitCode: EXIT.failed });
    return EXIT.failed;
  }
  showUserError(error, terminal);
  terminal.document({ error: errorDocument(error), exitCode: error.exitCode });
  return error.exitCode;
}

/** Adds the document to what Commander has printed on stderr. @returns the exit code; Commander's own is 1 */
export function showUsageError({ message }: CommanderError, terminal: Terminal): number {
  const [problem, suggestion] = usageParts(message);
  const fix = suggestion.replace(/^\(D(.*)\)$/, 'd$1') || `see ${gymgenCommand`--help`}`;
  const error = new UserError(problem.replace(/^error: /, ''), { fix });
  terminal.document({ error: errorDocument(error), exitCode: EXIT.failed });
  return EXIT.failed;
}

export function showUserError(error: UserError, terminal: Terminal): void {
  const { message: what, where, fix, details } = error;
  terminal.line(what, ERROR);
  for (const detail of details) terminal.line(`  - ${detail}`);
  if (where) terminal.line(`  at:  ${where}`);
  if (fix) terminal.line(`  fix: ${fix}`);
  if (error.cause) {
    const [cause, ...frames] = stackLines(error.cause);
    for (const line of [`  cause: ${cause}`, ...frames]) terminal.detail(line);
  }
}

/** A document has the exact values, but no credentials. */
export function errorDocument({ message, where, details, fix }: UserError): object {
  return {
    what: maskCredentials(message),
    where: where && maskCredentials(where),
    details: details.map(maskCredentials),
    fix: fix && maskCredentials(fix),
  };
}

/** What was thrown, and its frames. The message is one line, whatever it has: it may hold a text of others. */
function stackLines(error: unknown): [string, ...string[]] {
  if (!(error instanceof Error)) return [String(error)];
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line));
  return [`${error.name}: ${error.message}`, ...frames];
}
