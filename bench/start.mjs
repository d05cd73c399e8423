// Start time, compared with Node's own start time.

import { gymgen, node } from './support/commands.mjs';
import { inTurn } from './support/measure.mjs';
import { row } from './support/rows.mjs';

export async function start({ repeat = 21 } = {}) {
  const { nothing, version, help } = await inTurn(
    { nothing: [node, '-e', '0'], version: gymgen('--version'), help: gymgen('--help') },
    repeat,
  );
  const over = (what, { seconds }, target) => {
    const ms = (seconds - nothing.seconds) * 1000;
    const [shown, bare] = [seconds, nothing.seconds].map((each) => `${Math.round(each * 1000)} ms`);
    return row(`gymgen ${what}`, shown, 'node -e 0', bare, seconds / nothing.seconds, undefined, {
      over: `${Math.round(ms)} ms over`,
      target: `${target} ms over`,
      met: ms <= target,
    });
  };
  return [over('--version', version, 60), over('--help', help, 120)];
}
