import path from 'node:path';
import { maskCredentials } from '../../credentials.js';
import { displayText } from '../../display-text.js';
import { errorDocument } from '../../documents/error.js';
import type { ErrorDocument } from '../../documents/schemas/error.js';
import { EXIT, type Interrupted, systemError, UserError } from '../../errors.js';
import { writtenPaths } from '../../shutdown.js';
import { type Mark, sentence, type Terminal } from './terminal.js';

const ERROR: Mark = { text: 'error:', color: 'red' };
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

/** An interruption, with the paths that this process has already written. */
export function withWritten(reason: Interrupted): Interrupted {
  const near = (file: string) => {
    const relative = path.relative(process.cwd(), file);
    return relative === '' || relative.startsWith('..') ? file : relative;
  };
  return reason.withWritten(writtenPaths().map(near));
}

export function showUserError(error: UserError, terminal: Terminal): void {
  terminal.line(sentence(error.message), ERROR);
  for (const { words, indent } of errorLines(error)) terminal.line(words, undefined, indent);
  if (error.cause) {
    const [cause, ...frames] = stackLines(error.cause);
    for (const line of [`  cause: ${cause}`, ...frames]) terminal.detail(line);
  }
}

/** The lines below the message of an error: the details, the place and the fix. */
export function errorLines({
  details,
  where,
  fix,
}: Pick<UserError, 'details' | 'where' | 'fix'>): { words: string[]; indent: number }[] {
  return [
    ...details.map((detail) => ({ words: sentence(`  - ${detail}`), indent: 4 })),
    ...(where ? [{ words: [`  at:  ${where}`], indent: 7 }] : []),
    ...(fix ? [{ words: ['  fix:', ...fixWords(displayText(fix))], indent: 7 }] : []),
  ];
}

/** The words of a fix. A command, which is the whole fix or follows the first colon, is one word and can be copied. */
function fixWords(fix: string): string[] {
  if (/^(?:gymgen|node|npx|uv) /.test(fix)) return [fix];
  const colon = fix.indexOf(': ') + 1;
  return colon === 0 ? fix.split(' ') : [...fix.slice(0, colon).split(' '), fix.slice(colon + 1)];
}

/** The error and its frames. Its message may contain untrusted text, so it is shown as one line. */
function stackLines(error: unknown): [string, ...string[]] {
  if (!(error instanceof Error)) return [String(error)];
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line));
  return [`${error.name}: ${error.message}`, ...frames];
}
