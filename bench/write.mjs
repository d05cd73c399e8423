// gymgen against the peer, on the demo's server.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/project.mjs';
import { ensureVenv, environment } from '../scripts/toolchain.mjs';
import { gymgen, withFolder } from './support/commands.mjs';
import { inTurn, measure, whileServed } from './support/measure.mjs';
import { memory, time } from './support/rows.mjs';

/** A first round caches Python's bytecode and does not count. */
export async function write({ repeat = 5 } = {}) {
  const python = async (venv) => join(await ensureVenv(venv), 'bin', 'python');
  const server = [await python('gym'), '-m', 'server.app', '--port', '0', '--until-stdin-closes'];
  const peer = [await python('peer'), join(root, 'bench', 'peer_writer.py')];
  const env = environment();
  const work = (url) =>
    withFolder(async (folder) => {
      const ways = {
        ours: () => measure(gymgen(url, join(folder, 'ours')), { env }),
        theirs: () => measure([...peer, url, join(folder, 'theirs')], { env }),
      };
      const clean = async (name) => rmSync(join(folder, name), { recursive: true, force: true });
      await inTurn(ways, 1, clean);
      return inTurn(ways, repeat, clean);
    });
  const { ours, theirs } = await whileServed(server, work, { cwd: join(root, 'fixtures', 'gridsim') });
  return [
    time('gridsim, 4,400 rows', ours, 'the peer', theirs, 0.167),
    memory('gridsim, 4,400 rows', ours, 'the peer', theirs, 1 / 2),
  ];
}
