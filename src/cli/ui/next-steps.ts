import type { WriteRequest } from '../../operations/write.js';
import { gymgenCommand } from '../../printed-command.js';

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
    ...joined(play).map((line) => `  ${line}`),
    'with a model: see README.md in the folder',
  ];
}

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
