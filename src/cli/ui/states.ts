import type { FileState } from '../../output/index.js';
import type { Mark } from './terminal.js';

const COLOURS: Record<FileState, Mark['colour']> = {
  create: 'green',
  update: 'yellow',
  same: 'dim',
  stale: 'red',
  edited: 'magenta',
};

/** A file's state, in front of its line. */
export function stateMark(state: FileState): Mark {
  return { text: state.padEnd(6), colour: COLOURS[state] };
}
