// A bundle's server is killed while real NeMo Gym plays rollouts on it, whose environments run in process sandboxes.

import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Conversation, type Move, modelServer } from '../../src/play/index.js';
import { NemoGym, outcome, type Rollout, readJsonLines, writeJsonLines } from './support/gym.js';
import { folderOf, startGymgen, tempFolder } from './support/gymgen.js';
import { type BundleFolder, bundleFolder } from './support/mcp-servers.js';
import {
  endings,
  eventually,
  killAll,
  processesNaming,
  processesWith,
  type RunningProcess,
} from './support/processes.js';
import type { Row } from './support/run-python.js';
import { venv } from './support/toolchain.js';

const NAME = 'sandbox_v1';
const UNDER_WAY = 4;
const NEXT = 16;
/** The model replies with a number only, which is half of the task `sign`. */
const REWARDS: Record<string, number> = { stamp: 1, sign: 0 };

const root = tempFolder();
const ending = endings();
const MARK = `GYMGEN_E2E_RESTART=${root}`;
let bundle: BundleFolder;
let rollouts: Rollout[];
/** The sandboxes that ran when the bundle's server was killed. */
let killed: { servers: RunningProcess[]; sandboxes: RunningProcess[] };

const servers = () => processesWith(MARK).filter(({ command }) => command.includes('serve_bundle.py'));
const sandboxes = () => processesNaming(bundle.env.AGENT_ENV_LOCAL_SANDBOX_DIR as string);
const lastOf = (id: string) => id.split('/').at(-1) ?? '';

/**
 * Stamps the document that the prompt names. The first rollouts wait until all of them have a response from their
 * sandbox, and the bundle's server is killed. Then they continue.
 */
function policy(): (asked: Conversation) => Promise<Move> {
  let waiting = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return async ({ prompt, answers }) => {
    const [, title] = /'(\w+)'/.exec(prompt) ?? [];
    if (answers.length === 0) return { call: 'stamp', arguments: { title } };
    waiting += 1;
    if (waiting === UNDER_WAY) {
      killed = { servers: servers(), sandboxes: sandboxes() };
      killAll(killed.servers);
      release();
    }
    await released;
    return { say: /\d+/.exec(answers[0] ?? '')?.[0] ?? 'no number' };
  };
}

beforeAll(async () => {
  bundle = ending(await bundleFolder('sandbox-v1'));
  ending({ stop: async () => killAll(sandboxes()) }); // if a test has failed
  const env = { ...bundle.env, GYMGEN_E2E_RESTART: root };
  const args = [bundle.folder, root, '--name', NAME, '--sandbox', 'process'];
  const { exitCode, stderr } = await startGymgen(args, { ...env, VIRTUAL_ENV: await venv('agentenv') });
  expect(exitCode, stderr).toBe(0);
  const model = ending(await modelServer(policy()));
  const gym = ending(await NemoGym.on(root, env));
  await gym.start([NAME], model);
  const rows = readJsonLines<Row>(join(folderOf(root, NAME), 'data/train.jsonl'));
  const file = join(root, 'rows.jsonl');
  writeJsonLines(
    file,
    Array(UNDER_WAY + NEXT)
      .fill(rows)
      .flat()
      .slice(0, UNDER_WAY + NEXT),
  );
  rollouts = await gym.play(file, '--concurrency', String(UNDER_WAY));
});

test('each running rollout is masked, because it lost its connection', () => {
  expect(killed.servers).toHaveLength(1);
  expect(killed.sandboxes).toHaveLength(UNDER_WAY);
  const masked = rollouts.filter(({ mask_sample }) => mask_sample);
  expect(masked.map(outcome)).toEqual(Array(UNDER_WAY).fill('transport_peer_drop'));
});

test('the server is restarted, and the next rollouts have their rewards', () => {
  const next = rollouts.filter(({ mask_sample }) => !mask_sample);
  expect(next).toHaveLength(NEXT);
  for (const rollout of next) expect(outcome(rollout), rollout.task_id).toBe(REWARDS[lastOf(rollout.task_id)]);
  expect(new Set(next.map(outcome))).toEqual(new Set(Object.values(REWARDS)));
  const [server, ...others] = servers();
  expect(others).toEqual([]);
  expect(server?.pid).not.toBe(killed.servers[0]?.pid);
});

test('no sandbox of the killed server is left', () => {
  const pids = new Set(killed.sandboxes.map(({ pid }) => pid));
  expect(sandboxes().filter(({ pid }) => pids.has(pid))).toEqual([]);
});

test('no process is left once NeMo Gym has ended', async () => {
  for (const { pid, command } of processesWith(MARK)) if (command.includes('env start')) process.kill(pid, 'SIGINT');
  const left = () => [...servers(), ...sandboxes()];
  expect(await eventually(left, ({ length }) => length === 0, 30_000)).toEqual([]);
});
