import type { CommanderError } from 'commander';
import { maskCredentials } from '../../credentials.js';
import { EXIT, systemError, UserError } from '../../errors.js';
import { gymgenCommand } from '../../printed-command.js';
import { usageParts } from '../command.js';
import type { ErrorDocument, ErrorParts } from '../documents.js';
import type { Mark, Terminal } from './terminal.js';

const ERROR: Mark = { text: 'error:', colour: 'red' };
const REPORT = 'this is a bug in gymgen: please report it with the lines above and the command that you ran';

/** Shows an error: what, where and how to fix it; a stack only for a bug. @returns the exit code */
export function showError(thrown: unknown, terminal: Terminal): number {
  const error = systemError(thrown) ?? thrown;
  if (!(error instanceof UserError)) {
    const [what, ...frames] = stackLines(error);
    terminal.line(what, ERROR);
    for (const frame of frames) terminal.line(frame);
    terminal.line(REPORT);
    const bug = { what: maskCredentials(what), bug: true as const };
    terminal.document({ error: bug, exitCode: EXIT.failed } satisfies ErrorDocument);
    return EXIT.failed;
  }
  showUserError(error, terminal);
  terminal.document({ error: errorDocument(error), exitCode: error.exitCode } satisfies ErrorDocument);
  return error.exitCode;
}

/** Prints the document; Commander has printed the error itself. @returns the exit code, which is 1 in Commander */
export function showUsageError({ message }: CommanderError, terminal: Terminal): number {
  const [problem, suggestion] = usageParts(message);
  const fix = suggestion.replace(/^\(D(.*)\)$/, 'd$1') || `see ${gymgenCommand`--help`}`;
  const error = new UserError(problem.replace(/^error: /, ''), { fix });
  terminal.document({ error: errorDocument(error), exitCode: EXIT.failed } satisfies ErrorDocument);
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

/** The document has the exact values, but no credentials. */
export function errorDocument({ message, where, details, fix }: UserError): ErrorParts {
  return {
    what: maskCredentials(message),
    where: where && maskCredentials(where),
    details: details.map(maskCredentials),
    fix: fix && maskCredentials(fix),
  };
}

/** The error and its frames. Its message may contain untrusted text, so it is shown as one line. */
function stackLines(error: unknown): [string, ...string[]] {
  if (!(error instanceof Error)) return [String(error)];
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line));
  return [`${error.name}: ${error.message}`, ...frames];
}
