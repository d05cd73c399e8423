import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { discover } from '../../../src/discover/index.js';
import { discoverAll, discoverOptions, Said } from '../../support/discovered.js';
import { failureOf } from '../../support/failure-of.js';
import { refuseWarnings } from '../../support/leaks.js';
import { days, type ServedTask, tool } from '../../support/served-tasks.js';
import { StandIn } from '../../support/stand-in.js';

refuseWarnings();

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Another client, which takes a session. */
async function otherClient(server: StandIn): Promise<WebSocket> {
  const socket = new WebSocket(`ws://${server.host}/ws`);
  await new Promise((resolve) => socket.once('open', resolve));
  onTestFinished(() => socket.terminate());
  return socket;
}

describe('a server with one session', () => {
  test('is probed one task after another', async () => {
    const server = await StandIn.start({ maxSessions: 1, splits: { all: days(20) } });
    const { tasks, warnings } = await discoverAll(server.url);
    expect(tasks).toHaveLength(20);
    expect(server.resets).toHaveLength(20);
    expect(server.peak).toBe(1);
    expect(warnings).toEqual([]);
  });

  test('that another client uses is full, with the numbers and possible fixes', async () => {
    const server = await StandIn.start({ maxSessions: 1 });
    const other = await otherClient(server);
    const failure = await failureOf(discoverAll(server.url, { resetTimeout: 0.3 }));
    expect(failure).toMatch(/the server is full: 1 of its 1 sessions are in use; no session became free within 0.3 s/);
    expect(failure).toMatch(/at: ws:[\s\S]*fix: serve it with more sessions, .*--reset-timeout SECONDS/);
    expect(server.resets).toEqual([]);
    other.terminate();
  });

  test('that another client frees is waited for, with one warning', async () => {
    const server = await StandIn.start({ maxSessions: 1, splits: { all: days(5) } });
    const other = await otherClient(server);
    setTimeout(() => other.close(), 1600);
    const { tasks, warnings } = await discoverAll(server.url, { resetTimeout: 30 });
    expect(tasks).toHaveLength(5);
    expect(warnings).toEqual([
      'the server is full: 1 of its 1 sessions are in use: waiting up to 30 s for a free session',
    ]);
  });

  test('does not time out while our own probes use it', async () => {
    // All probes together take longer than the time limit of one.
    const server = await StandIn.start({
      maxSessions: 1,
      splits: { all: days(12) },
      ws: async ({ type }) => void (type === 'reset' && (await wait(120))),
    });
    const { warnings } = await discoverAll(server.url, { resetTimeout: 1, probes: 12 });
    expect(warnings).toEqual([]);
    expect(server.resets).toHaveLength(12);
  });

  test('that does not report its numbers can be full, too', async () => {
    const server = await StandIn.start({
      ws: ({ type }) =>
        type === 'reset' ? '{"type":"error","data":{"code":"CAPACITY_REACHED","active_sessions":null}}' : undefined,
    });
    const failure = await failureOf(discoverAll(server.url, { resetTimeout: 0.1 }));
    expect(failure).toMatch(/the server is full: \? of its \? sessions are in use/);
  });
});

test.each([
  [8, 1],
  [8, 3],
  [2, 100],
])('up to %d sessions are open at a time, on a server that allows %d', async (maxSessions, allowed) => {
  const server = await StandIn.start({
    maxSessions: allowed,
    splits: { all: days(30) },
    ws: async ({ type }) => void (type === 'reset' && (await wait(3))),
  });
  await discoverAll(server.url, { maxSessions });
  expect(server.resets).toHaveLength(30);
  expect(server.peak).toBe(Math.min(maxSessions, allowed));
});

describe('every session is closed', () => {
  /** Requests at which the run is stopped. */
  const moments = ['the reset', 'the list of tools', 'end_turn', 'the last list of tools', 'num_tasks', 'task_range'];

  test.each(moments)('if the run is aborted in %s', async (moment) => {
    const reason = new Error('stopped');
    const stop = new AbortController();
    let lists = 0;
    const server = await StandIn.start({
      splits: { all: days(20) },
      turns: () => [[tool('end_turn')], [tool('end_turn')]],
      http: ({ path }) => {
        if (path.endsWith(moment)) stop.abort(reason);
        return undefined;
      },
      ws: ({ type, data }) => {
        const now =
          type === 'reset'
            ? 'the reset'
            : data?.tool_name === 'end_turn'
              ? 'end_turn'
              : lists++ < 10
                ? 'the list of tools'
                : 'the last list of tools';
        if (now !== moment) return undefined;
        stop.abort(reason);
        return null;
      },
    });
    await expect(discoverAll(server.url, { signal: stop.signal })).rejects.toBe(reason);
    await server.idle();
  });

  test('if the reader stops in the middle', async () => {
    const server = await StandIn.start({ splits: { all: days(2000) }, ws: () => null });
    const found = await discover(server.url, discoverOptions(), new Said());
    const [split] = found.splits;
    if (!split) throw new Error('no split');
    const reading = found.tasks(split)[Symbol.asyncIterator]().next();
    reading.catch(() => {});
    while (server.resets.length === 0) await wait(2);
    await found.close();
    await server.idle();
    await expect(reading).rejects.toThrow('the run ended');
  });

  test('if nothing is read', async () => {
    const server = await StandIn.start();
    const found = await discover(server.url, discoverOptions(), new Said());
    await found.close();
    await server.idle();
  });

  test('if one of several probes fails', async () => {
    const server = await StandIn.start({
      splits: { all: days(20) },
      turns: (task: ServedTask) => [[tool(task.name === 'day-3' ? '' : 'a'), tool('end_turn')]],
      ws: ({ type, data }) =>
        type === 'reset' && data.index === 3 ? '{"type":"error","data":{"message":"no"}}' : undefined,
    });
    await discoverAll(server.url);
    await server.idle();
    expect(server.openSessions).toBe(0);
  });

  test('if the server goes away in the middle', async () => {
    const server = await StandIn.start({
      splits: { all: days(5) },
      ws: ({ type }, session) => {
        if (type !== 'reset' || session.number !== 2) return undefined;
        server.stop();
        return null;
      },
      mayLeak: true,
    });
    expect(await failureOf(discoverAll(server.url))).toMatch(/connection refused|could not probe|connection failed/);
  });
});

test('sessions, requests and bytes are counted', async () => {
  const server = await StandIn.start();
  const { discovery } = await discoverAll(server.url);
  const { sessions, requests, bytes } = (discovery as unknown as { counts(): Record<string, number> }).counts();
  expect(sessions).toBe(3);
  expect(requests).toBe(server.asked.length);
  expect(bytes).toBeGreaterThan(500);
});
