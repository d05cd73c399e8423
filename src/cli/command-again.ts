import { invocation, shellQuote } from '../printed-command.js';

/** The command that is running, with more arguments, to be copied into a shell. A header's value may be a secret. */
export function commandAgain(more: readonly string[], argv: readonly string[] = process.argv): string {
  const args = argv.slice(2).map((arg, index, all) => withoutSecret(arg, all[index - 1]));
  const end = args.indexOf('--');
  args.splice(end === -1 ? args.length : end, 0, ...more);
  return [invocation(), ...args.map(shellQuote)].join(' ');
}

function withoutSecret(arg: string, before: string | undefined): string {
  if (before !== '--header' && !arg.startsWith('--header=')) return arg;
  return `${arg.slice(0, arg.indexOf(':') + 1)} …`;
}
