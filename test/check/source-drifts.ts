import { days, type ServedTool, tool } from '../support/served-tasks.js';
import type { StandIn } from '../support/stand-in.js';
import type { Drift, Place } from './drift.js';

const serve =
  (change: (server: StandIn) => void) =>
  ({ server }: Place) =>
    change(server);
/** Drift of the source. */
export const SOURCE_DRIFTS: Drift[] = [
  {
    name: 'a prompt',
    make: serve((server) => (server.splits.train = days(5, (at) => (at === 2 ? { prompt: 'New.' } : {})))),
    exitCode: 1,
    file: /^update {2}data\/train\.jsonl$/m,
    reason: /~ train\[2\] 'day-2' \(line 3\): prompt/,
  },
  {
    name: 'a system prompt',
    make: serve((server) => (server.splits.train = days(5, () => ({ system_prompt: 'New.' })))),
    exitCode: 1,
    file: /^update {2}data\/train\.jsonl$/m,
    reason: /: system prompt/,
  },
  {
    name: 'a new task',
    make: serve((server) => (server.splits.train = days(6))),
    exitCode: 1,
    file: /^update {2}data\/train\.jsonl$/m,
    reason: /\+ train\[5\] 'day-5' added \(line 6\)/,
  },
  {
    name: 'a removed task',
    make: serve((server) => (server.splits.train = days(5).toSpliced(1, 1))),
    exitCode: 1,
    file: /^update {2}data\/train\.jsonl$/m,
    reason: /- train\[1\] 'day-1' removed \(line 2\)[\s\S]*~ 3 rows: only the index differs \(train\[2\]/,
  },
  {
    name: 'reordered tasks',
    make: serve((server) => (server.splits.train = days(5).reverse())),
    exitCode: 1,
    file: /^update {2}data\/train\.jsonl$/m,
    reason: /~ 4 rows: only the index differs/,
  },
  {
    name: 'a new split',
    make: serve((server) => (server.splits.test = days(2))),
    exitCode: 1,
    file: /^create {2}data\/test\.jsonl$/m,
  },
  {
    name: 'a removed split',
    make: serve((server) => void delete server.splits.eval),
    exitCode: 1,
    file: /^stale {3}data\/eval\.jsonl$/m,
  },
  {
    name: "a tool's schema",
    make: serve((server) =>
      tools(server, [tool('submit_schedule', { type: 'object', properties: { a: {} } }), tool('end_turn')]),
    ),
    exitCode: 1,
    file: /^update {2}toolsets\.json$/m,
    reason: /tool 'submit_schedule': parameters/,
  },
  {
    name: 'a new tool',
    make: serve((server) => tools(server, [tool('submit_schedule'), tool('end_turn'), tool('news')])),
    exitCode: 1,
    file: /^update {2}data\/train\.jsonl$/m,
    reason: /tool 'news'/,
  },
  {
    name: 'another path of the serving machine',
    make: serve((server) => {
      for (const task of Object.values(server.splits).flat()) task.id = String(task.id).replace('/srv/', '/home/ci/');
    }),
    exitCode: 0,
  },
];

function tools(server: StandIn, offered: ServedTool[]): void {
  server.options.turns = () => [offered];
}
