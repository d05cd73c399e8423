// Probing tasks for their tools, against the ideal time with all of the server's sessions in use.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { gymgen, whileStatic, withFolder } from './support/commands.mjs';
import { inTurn } from './support/measure.mjs';
import { row } from './support/rows.mjs';

const SERVED = { splits: { train: 1000 }, bytes: 2400, toolsets: 32, sessions: 8, resetSeconds: 1 };
const IDEAL = (SERVED.toolsets / SERVED.sessions) * SERVED.resetSeconds;

export async function probes({ repeat = 3 } = {}) {
  const { ours } = await whileStatic(SERVED, (url) =>
    withFolder((folder) =>
      inTurn({ ours: gymgen(url, join(folder, 'ours')) }, repeat, async () =>
        rmSync(join(folder, 'ours'), { recursive: true, force: true }),
      ),
    ),
  );
  const what = '32 declared toolsets, resets of 1 s, 8 sessions: time';
  return [row(what, `${ours.seconds.toFixed(2)} s`, 'the ideal', `${IDEAL} s`, ours.seconds / IDEAL, 1.25)];
}
