// gymgen against the peer, on the built-in example's server.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/project.mjs';
import { ensureVenv } from '../scripts/toolchain.mjs';
import { gymgen, withFolder } from './support/commands.mjs';
import { inTurn, whileServed } from './support/measure.mjs';
import { memory, time } from './support/rows.mjs';

export async function write({ repeat = 3 } = {}) {
  const python = join(await ensureVenv('gym'), 'bin', 'python');
  const server = [python, '-m', 'server.app', '--port', '0', '--until-stdin-closes'];
  const against = (url, folder) => ({
    ours: gymgen(url, join(folder, 'ours')),
    theirs: [python, join(root, 'bench', 'peer_writer.py'), url, join(folder, 'theirs')],
  });
  const work = (url) =>
    withFolder((folder) =>
      inTurn(against(url, folder), repeat, async (name) =>
        rmSync(join(folder, name), { recursive: true, force: true }),
      ),
    );
  const { ours, theirs } = await whileServed(server, work, { cwd: join(root, 'fixtures', 'gridsim') });
  return [
    time('gridsim, 4,400 rows', ours, 'the peer', theirs, 1 / 8),
    memory('gridsim, 4,400 rows', ours, 'the peer', theirs, 1 / 2),
  ];
}
