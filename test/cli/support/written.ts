import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { builtCli, tempFolder } from '../../support/built-cli.js';
import { days } from '../../support/served-tasks.js';
import { StandIn } from '../../support/stand-in.js';

const gymgen = builtCli();

/** A server, and a Gym root that was written from it. */
export async function written(...flags: string[]) {
  const server = await StandIn.start({ splits: { train: days(5), eval: days(2) } });
  const cwd = tempFolder();
  const run = (...args: string[]) => gymgen(args, { cwd });
  expect(await run(server.url, 'root', ...flags)).toMatchObject({ exitCode: 0 });
  const folder = join(cwd, 'root/resources_servers/grid_v1');
  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')));
  return { server, cwd, run, edit, folder };
}
