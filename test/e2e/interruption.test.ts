// A run that is stopped at any moment leaves the old folder or the new one, no staged files, and no open session.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { copyFolder, folderOf, gymgen, mustGymgen, snapshot, startGymgen, tempFolder } from './support/gymgen.js';
import { endings, eventually, processesWith } from './support/processes.js';
import { type Gridsim, gridsim } from './support/servers.js';
import { toolchainEnv } from './support/toolchain.js';

const NAME = 'gridsim_v1';
const SIZE = ['--train', '600', '--eval', '60'];
/** Two servers with the same name and different tasks, so that each run changes all rows. */
const SIDES = ['one', 'other'] as const;
type Side = (typeof SIDES)[number];

const work = tempFolder();
const root = join(work, 'root');
const folder = folderOf(root, NAME);
const ending = endings();
const servers = {} as Record<Side, Gridsim>;
const wanted = {} as Record<Side, Record<string, string>>;
/** The duration of a run without interruption, in ms. */
let duration: number;

const argsFor = (side: Side, gymRoot = root) => [servers[side].url, gymRoot, '--config-url', 'http://127.0.0.1:8000'];
const texts = () => snapshot(folder).texts;
const staging = () => existsSync(join(root, '.gymgen'));

beforeAll(async () => {
  servers.one = ending(await gridsim(...SIZE, '--seed', '1'));
  servers.other = ending(await gridsim(...SIZE, '--seed', '2'));
  for (const side of SIDES) {
    const began = Date.now();
    await mustGymgen(...argsFor(side, join(work, side)));
    duration = Date.now() - began;
    wanted[side] = snapshot(folderOf(join(work, side), NAME)).texts;
  }
});

/** A server whose only session is in use, so that a run reaches a state that a test can wait for. */
async function fullServer(): Promise<Gridsim & { release(): void }> {
  const server = ending(await gridsim(...SIZE, '--seed', '2', '--max-sessions', '1'));
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
  return Object.assign(server, { release: () => socket.terminate() });
}

/** Resolves when the run reports that it waits for a session, or when it ends. */
async function untilItWaits(run: ReturnType<typeof startGymgen>): Promise<void> {
  const said = new Promise<void>((resolve) => {
    run.stderr?.on('data', (text) => /for a free session/.test(String(text)) && resolve());
  });
  await Promise.race([said, run]);
}

/** Writes the folder from one of the servers. */
function begin(side: Side): void {
  copyFolder(join(work, side), root);
}

describe.for([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s', ([signal, code]) => {
  test(`ends a run that waits for a free session with ${code}, and nothing has changed`, async () => {
    begin('one');
    const full = await fullServer();
    const run = startGymgen([full.url, root, '--config-url', 'http://127.0.0.1:8000']);
    await untilItWaits(run);
    run.kill(signal);
    const { exitCode, stdout, stderr } = await run;
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
    expect(stderr).toMatch(/^error: (?:interrupted|terminated); /m);
    expect(staging()).toBe(false);
    expect(texts()).toEqual(wanted.one);
    full.release();
    expect(await full.leftOpen()).toBe(0);
  });

  test(`ends a run with ${code} at any moment, with the folder old or new`, async () => {
    begin('one');
    for (const part of [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]) {
      const before = texts();
      const [side, old] = before['data/all.jsonl'] === wanted.one['data/all.jsonl'] ? SIDES.toReversed() : SIDES;
      const run = startGymgen(argsFor(side as Side));
      await sleep(duration * part);
      run.kill(signal);
      const { exitCode, signal: died, stderr } = await run;
      // before gymgen's first line, a signal ends Node itself; after the last line, the run is done
      expect([code, 0, undefined], `${part}: ${stderr}`).toContain(exitCode);
      if (exitCode === undefined) expect(died).toBe(signal);
      expect(staging(), `staging is left at ${part}`).toBe(false);
      expect([wanted[old as Side], wanted[side as Side]], `mixed at ${part}`).toContainEqual(texts());
      if (exitCode === 0) expect(texts()).toEqual(wanted[side as Side]);
    }
    for (const side of SIDES) expect(await servers[side].leftOpen()).toBe(0);
  });
});

test('a second Ctrl-C ends it at once', async () => {
  const full = await fullServer();
  const run = startGymgen([full.url, join(work, 'twice')]);
  await untilItWaits(run);
  run.kill('SIGINT');
  run.kill('SIGINT');
  const { exitCode, signal } = await run;
  expect(exitCode === 130 || signal === 'SIGINT').toBe(true);
  full.release();
});

test('killed at 20 random moments, the next run completes', async () => {
  begin('one');
  let [side, old]: Side[] = ['other', 'one'];
  const moments: string[] = [];
  for (let times = 0; times < 20; times += 1) {
    const after = Math.round(duration * (0.2 + 0.9 * Math.random()));
    const run = startGymgen(argsFor(side as Side));
    await sleep(after);
    run.kill('SIGKILL');
    await run;
    const journal = existsSync(join(root, '.gymgen', NAME, 'journal.json'));
    moments.push(`${after} ms${journal ? ' (in its commit)' : ''}`);
    const where = moments.join(', ');
    if (!journal) expect([wanted[old as Side], wanted[side as Side]], where).toContainEqual(texts());
    if (journal) {
      const before = snapshot(root);
      const { exitCode, stderr } = await gymgen(...argsFor(old as Side), '--dry-run');
      expect(exitCode, where).toBe(2);
      expect(stderr).toContain(` update ${root} --name ${NAME}`); // after the way in which gymgen was started
      expect(snapshot(root)).toEqual(before);
    }
    const { exitCode, stderr } = await gymgen(...argsFor(side as Side));
    expect(exitCode, `${where}\n${stderr}`).toBe(0);
    if (journal) expect(stderr, where).toContain(`completed the interrupted write of '${NAME}'`);
    expect(texts(), where).toEqual(wanted[side as Side]);
    expect(staging(), where).toBe(false);
    [side, old] = [old as Side, side as Side];
  }
  for (const each of SIDES) expect(await servers[each].leftOpen()).toBe(0);
});

test('Ctrl-C in the demo ends the server that it started', async () => {
  const mark = `GYMGEN_E2E_DEMO=${work}`;
  const env = { PATH: toolchainEnv().PATH ?? '', GYMGEN_E2E_DEMO: work };
  const run = startGymgen(['demo', join(work, 'demo')], env);
  await eventually(
    () => processesWith(mark),
    (found) => found.some(({ command }) => command.includes('server.app')),
    300_000,
  );
  run.kill('SIGINT');
  expect((await run).exitCode).toBe(130);
  expect(processesWith(mark)).toEqual([]);
  expect(existsSync(join(work, 'demo'))).toBe(false);
});
