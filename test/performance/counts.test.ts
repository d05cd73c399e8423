import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { discover } from '../../src/discover/index.js';
import { requestOf } from '../../src/operations/request.js';
import { write } from '../../src/operations/write.js';
import { patchedWrite } from '../output/support/patched-fs.js';
import { tempFolder } from '../support/built-cli.js';
import { discoverOptions, Said } from '../support/discovered.js';

const SERVER = fileURLToPath(new URL('../../bench/support/static-server.mjs', import.meta.url));
const MIB = 2 ** 20;

interface Counts {
  requests: number;
  bytes: number;
  longest: number;
  sessions: number;
}

/** The server of the benchmarks. */
async function served(options: object): Promise<{ url: string; counts: () => Promise<Counts> }> {
  const child = spawn(process.execPath, [SERVER, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.stdin.end();
    await once(child, 'close');
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url } = JSON.parse(line);
  return { url, counts: async () => (await fetch(`${url}/counts`)).json() as Promise<Counts> };
}

/** The sizes of all writes to open files from now on, in this process. */
function watchWrites(): number[] {
  const sizes: number[] = [];
  patchedWrite((data) => void sizes.push(data.length));
  return sizes;
}

describe('10,000 tasks of 2.4 KB', () => {
  const tasks = 10_000;
  const size = tasks * 2400;

  test('are asked for in pages of half a megabyte, each once', async () => {
    const { url, counts } = await served({ splits: { train: tasks }, bytes: 2400 });
    const report = await write(
      requestOf(url, join(tempFolder(), 'root'), {}),
      new Said(),
      new AbortController().signal,
    );
    const { requests, bytes, longest, sessions } = await counts();
    expect(report.counts).toEqual({ requests, bytes, sessions });
    // Requests for the environment, its splits and their sizes; for the tasks; and at the end, to detect changes.
    expect(requests).toBeLessThanOrEqual(Math.ceil((2 * size) / MIB) + 14);
    expect(bytes).toBeLessThan(size * 1.01);
    expect(longest).toBeLessThan(0.6 * MIB);
    expect(sessions).toBe(3);
  });

  test('are written once, in pieces of less than half a megabyte', async () => {
    const { url } = await served({ splits: { train: tasks }, bytes: 2400 });
    const sizes = watchWrites();
    const root = join(tempFolder(), 'root');
    const { folder } = await write(requestOf(url, root, {}), new Said(), new AbortController().signal);
    const rows = (await fs.stat(join(folder, 'data/train.jsonl'))).size;
    const written = sizes.reduce((sum, each) => sum + each, 0);
    expect(written).toBeGreaterThanOrEqual(rows);
    expect(written).toBeLessThan(rows + MIB / 2);
    expect(Math.max(...sizes)).toBeLessThan(MIB / 2);
  });

  test('are fetched ahead within bounds, however slowly they are taken', async () => {
    const { url } = await served({ splits: { train: tasks }, bytes: 2400 });
    const found = await discover(url, discoverOptions(), new Said());
    let [taken, most] = [0, 0];
    for await (const page of found.tasks(found.splits[0] as (typeof found.splits)[0])) {
      taken += page.length * 2400;
      await sleep(20);
      most = Math.max(most, found.counts().bytes - taken);
    }
    await found.close();
    expect(taken).toBe(size);
    expect(most).toBeGreaterThan(MIB);
    expect(most).toBeLessThan(6 * MIB);
  });
});

test('32 declared toolsets are 32 sessions, on a server that takes 8 at once', async () => {
  const { url, counts } = await served({ splits: { train: 100 }, bytes: 2400, toolsets: 32, sessions: 8 });
  const report = await write(requestOf(url, join(tempFolder(), 'root'), {}), new Said(), new AbortController().signal);
  expect(report.toolsets).toHaveLength(32);
  expect((await counts()).sessions).toBe(32);
});
