// A whole recording in place of its server, for runs that read less of it or probe it otherwise.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DiscoverOptions, openRecording } from '../../../src/discover/index.js';
import { record } from '../../../src/operations/record.js';
import { discoverAll, discoverOptions, Said } from '../../support/discovered.js';
import { day, days, type ServedTask, type ServedTool, tool } from '../../support/served-tasks.js';
import { StandIn } from '../../support/stand-in.js';

type Options = Partial<Pick<DiscoverOptions, 'splits' | 'limit' | 'probes'>>;

const signal = new AbortController().signal;

async function toolsetsOf(file: string, options: Options) {
  const defaults = { splits: [], limit: Number.POSITIVE_INFINITY, probes: 32 };
  const recording = await openRecording(file, { ...defaults, ...options, signal }, new Said());
  try {
    for (const split of recording.splits) for await (const _ of recording.tasks(split));
    return summarized((await recording.finish()).toolsets);
  } finally {
    await recording.close();
  }
}

function summarized(toolsets: { key: string; tasks: unknown[]; turns: unknown[] }[]) {
  return toolsets.map(({ key, tasks, turns }) => ({ key, tasks, turns }));
}

const BOTH = [tool('act'), tool('end_turn')];
const OTHER = [tool('look'), tool('end_turn')];

/** Servers by the kinds of their toolsets. */
const SERVERS: [string, Record<string, ServedTask[]>, ((task: ServedTask) => ServedTool[][])?][] = [
  ['one agent, few tasks', { train: days(10), eval: days(3) }],
  ['one agent, many tasks', { train: days(200), eval: days(90).slice(80) }],
  ['splits with the same tasks', { all: days(40), train: days(40).slice(0, 30), eval: days(40).slice(30) }],
  ['two agents', { train: days(60, (number) => ({ agent: number % 7 === 0 ? 'a' : 'b' })), eval: days(5) }],
  [
    'declared toolsets',
    {
      train: days(50, (number) => ({ toolset: number < 20 ? 'one' : 'two' })),
      eval: days(2, () => ({ toolset: 'two' })),
    },
    ({ toolset }) => [toolset === 'one' ? BOTH : OTHER],
  ],
  [
    'tasks of one agent with different tools',
    { train: days(10), eval: [day(3), day(20), day(21)] },
    ({ name }) => [name === 'day-3' || name === 'day-21' ? OTHER : BOTH],
  ],
  [
    'tasks of two agents with different tools',
    { train: days(12, (number) => ({ agent: number % 2 === 0 ? 'a' : 'b' })), eval: days(4) },
    ({ name }) => [name === 'day-3' || name === 'day-8' ? OTHER : BOTH],
  ],
];

const LESS: Options[] = [
  {},
  { limit: 1 },
  { limit: 2 },
  { limit: 5 },
  { limit: 40 },
  { splits: ['train'] },
  { splits: ['eval'] },
  { splits: ['eval'], limit: 1 },
];

describe.each(SERVERS)('%s', (name, splits, turns) => {
  test('every selection, and other probes, give the toolsets of the server', async () => {
    const server = await StandIn.start({ splits, ...(turns ? { turns } : {}) });
    const folder = mkdtempSync(join(tmpdir(), 'gymgen-less-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'a.jsonl');
    await record({ source: server.url, discover: discoverOptions() }, file, new Said(), signal);
    const some = [1, 2, 3, Number.POSITIVE_INFINITY].map((probes) => ({ probes }));
    // If tasks of one agent differ, a run with few probes does not notice it, but the recording knows.
    const options = [...LESS, { probes: 20 }, { probes: 1000 }, ...(name.includes('different tools') ? [] : some)];
    for (const less of options) {
      const served = await discoverAll(server.url, less).catch(() => undefined);
      // A server whose tasks of one agent differ is refused if only some are probed.
      if (served) expect([less, await toolsetsOf(file, less)]).toEqual([less, summarized(served.summary.toolsets)]);
    }
  });
});
