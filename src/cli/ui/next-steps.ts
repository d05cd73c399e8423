import type { WriteRequest } from '../../operations/write.js';
import { gymgenCommand } from '../../printed-command.js';

interface Environment {
  /** Command that serves it for NeMo Gym, if the user has to run one. */
  serve: string | undefined;
  /** Whether `gymgen play --demo` serves it. */
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
    'with a model or NeMo Gym: README.md in the folder',
  ];
}

/** Columns of the lines without their indent. */
const COLUMNS = 48;

/** A command in lines that a shell joins. */
function joined([first = '', ...options]: readonly string[]): string[] {
  const lines = [first];
  for (const option of options) {
    const line = `${lines.at(-1)} ${option}`;
    if (line.length + ' \\'.length <= COLUMNS) lines[lines.length - 1] = line;
    else lines.push(`${lines.pop()} \\`, `  ${option}`);
  }
  return lines;
}
