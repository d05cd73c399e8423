import type { WriteRequest } from '../../operations/write.js';
import { type Flags, flagOf } from '../../options/index.js';
import { gymgenCommand, near, shellQuote } from '../../printed-command.js';
import { EXAMPLE_POLICY } from '../../source/index.js';

interface Environment {
  /** Command that serves the environment for NeMo Gym, if the user has to run one. */
  serve: string | undefined;
  /** Whether `gymgen play --demo` serves the environment. */
  isDemo: boolean;
}

/** What to do after the first write, in lines that fit a narrow terminal and can be pasted. */
export function nextSteps({ gymRoot }: Pick<WriteRequest, 'gymRoot'>, { serve, isDemo }: Environment): string[] {
  const play = [gymgenCommand`play ${gymRoot}`, ...(isDemo ? ['--demo'] : []), '--policy idle', '--limit 20'];
  return [
    '',
    'next, without a model:',
    ...(serve !== undefined && !isDemo ? [`  ${serve}    # in another terminal`] : []),
    ...indented(joined(play)),
    'with a model: see README.md in the folder',
  ];
}

/** Options that the commands for other rollouts keep. */
const KEPT = ['playSplit', 'playLimit', 'gymPython'] as const;

/**
 * What to play after a run without a model: a model and, after `--policy idle`, the script of the built-in example.
 * @param operands of the command that has run
 */
export function nextPlays(operands: readonly string[], flags: Flags): string[] {
  const kept = KEPT.flatMap((name) => (flags[name] === undefined ? [] : `${flagOf(name)} ${shellQuote(flags[name])}`));
  const play = [gymgenCommand`play`, ...operands.map(shellQuote)].join(' ');
  const command = (policy: string) => joined([play, ...(flags.demo ? ['--demo'] : []), policy, ...kept]);
  const script = `--policy ${shellQuote(near(EXAMPLE_POLICY))}`;
  return [
    '',
    ...(flags.demo && flags.policy === 'idle' ? ['next, with a script:', ...indented(command(script))] : []),
    'with a model, such as that of a vLLM server:',
    ...indented(command('--model-url http://127.0.0.1:8001/v1')),
  ];
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`);

/** Columns of the lines without their indent. */
const COLUMNS = 48;

/** A command, broken into lines with a backslash at the end. */
function joined([first = '', ...options]: readonly string[]): string[] {
  const lines = [first];
  for (const option of options) {
    const line = `${lines.at(-1)} ${option}`;
    if (line.length + ' \\'.length <= COLUMNS) lines[lines.length - 1] = line;
    else lines.push(`${lines.pop()} \\`, `  ${option}`);
  }
  return lines;
}
