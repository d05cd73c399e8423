import { existsSync } from 'node:fs';
import { UserError } from '../errors.js';
import { commandAgain } from './command-again.js';

/** Flags without a value that may come before a command. */
const FLAGS = ['--json', '-q', '--quiet', '-v', '--verbose'];

/**
 * Refuses a first argument that looks like a mistyped command. It would be taken for the name of an installed bundle, which
 * takes seconds to look for.
 * @param commands names of all commands
 * @throws UserError with the command that was probably meant
 */
export function refuseMistyped(args: readonly string[], commands: readonly string[]): void {
  const at = args.findIndex((arg) => !FLAGS.includes(arg));
  const word = args[at] ?? '';
  if (!/^[a-z]+$/i.test(word) || commands.includes(word)) return;
  const meant = commands.find((command) => isNear(word.toLowerCase(), command));
  if (meant === undefined || existsSync(word)) return;
  throw new UserError(`unknown command '${word}': did you mean ${meant}?`, {
    fix: `${commandAgain([], ['', '', ...args.with(at, meant)])}; for a bundle of this name, add 'write' before it`,
  });
}

/** Whether at most two letters were added, left out, replaced or swapped; one in a short word. */
function isNear(word: string, command: string): boolean {
  return distance(word, command) <= (command.length > 4 ? 2 : 1);
}

/** Optimal string alignment distance. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const [above, previous] = [rows[i - 1] as number[], rows[i - 2]];
      const replaced = (above[j - 1] as number) + Number(a[i - 1] !== b[j - 1]);
      const isSwap = previous && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (previous[j - 2] as number) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, replaced, swapped));
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] as number;
}
