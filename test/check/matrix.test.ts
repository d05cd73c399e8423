// Each drift of source-drifts.ts and folder-drifts.ts at each entry point that compares: exit code, file and reason.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../support/built-cli.js';
import { gymgenHere } from '../support/cli-here.js';
import { days } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';
import type { Expected } from './drift.js';
import { FOLDER_DRIFTS } from './folder-drifts.js';
import { SOURCE_DRIFTS } from './source-drifts.js';

interface EntryPoint {
  name: string;
  /** @param url of the server */
  args(url: string): string[];
  /** Whether the options come from the lock file. */
  isLocked?: true;
  /** Exit code for differences; 0 if they are only shown. */
  differs?: 0;
}

const ENTRY_POINTS: EntryPoint[] = [
  { name: 'check ROOT', args: () => ['check', 'root'], isLocked: true },
  {
    name: 'check ROOT --source RECORDING',
    args: () => ['check', 'root', '--source', 'rec.jsonl'],
    isLocked: true,
  },
  { name: 'check URL ROOT', args: (url) => ['check', url, 'root'] },
  { name: 'check RECORDING ROOT', args: () => ['check', 'rec.jsonl', 'root'] },
  { name: 'batch --check', args: (url) => ['batch', '--check', '--source', url, '--root', 'root'] },
  { name: 'write --diff', args: (url) => [url, 'root', '--diff'], differs: 0 },
];

async function written() {
  const server = await StandIn.start({ splits: { train: days(5), eval: days(8).slice(6) } });
  const cwd = tempFolder();
  const run = (...args: string[]) => gymgenHere(args, { cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } });
  expect((await run(server.url, 'root')).exitCode).toBe(0);
  return { server, cwd, run };
}

describe.each([...FOLDER_DRIFTS, ...SOURCE_DRIFTS])('$name', (drift) => {
  test('at every entry point', async () => {
    const { server, cwd, run } = await written();
    drift.make({ server, folder: join(cwd, 'root/resources_servers/grid_v1') });
    cpSync(join(cwd, 'root'), join(cwd, 'before'), { recursive: true, verbatimSymlinks: true });
    expect((await run('record', server.url, 'rec.jsonl')).exitCode).toBe(0);
    for (const { name, args, isLocked, differs } of ENTRY_POINTS) {
      const expected: Expected = (isLocked && drift.locked) || drift;
      const { exitCode, stdout, stderr } = await run(...args(server.url));
      const said = `${stdout}${stderr}`;
      expect([name, exitCode], said).toEqual([name, expected.exitCode === 1 ? (differs ?? 1) : expected.exitCode]);
      if (expected.file) expect(said, name).toMatch(expected.file);
      if (expected.reason) expect(said, name).toMatch(expected.reason);
      if (expected.exitCode === 0 && !expected.file)
        expect(said, name).not.toMatch(/^(?:create|update|stale|edited|other) /m);
    }
  });
});
