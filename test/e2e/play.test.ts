// gymgen play, with the real NeMo Gym: scripts play gridsim.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { PlayDocument } from '../../src/documents/schemas/play.js';
import { scriptsIn } from '../../src/play/policy-file.js';
import { MARK } from '../../src/play/processes.js';
import { EXAMPLE_POLICY } from '../../src/source/index.js';
import { type Rollout, readJsonLines } from './support/gym.js';
import { folderOf, mustGymgen, snapshot, startGymgen, tempFolder } from './support/gymgen.js';
import { endings, eventually, processesWith } from './support/processes.js';
import { playDirectly, type Row } from './support/run-python.js';
import { type Gridsim, gridsim } from './support/servers.js';
import { python, toolchainEnv } from './support/toolchain.js';
import { movesOn } from './support/trader.js';

const root = tempFolder();
const work = tempFolder();
const ending = endings();
const scripts = join(work, 'scripts.json');
let server: Gridsim;

const LIMIT = 10;
let rows: Row[];
const promptOf = ({ responses_create_params: { input } }: Row) => input.at(-1)?.content ?? '';

beforeAll(async () => {
  server = ending(await gridsim());
  await mustGymgen(server.url, root);
  rows = readJsonLines<Row>(join(folderOf(root, 'gridsim_v1'), 'data/eval.jsonl')).slice(0, LIMIT);
  const steps = rows.map((row) => ({
    prompt: `"${JSON.parse(promptOf(row)).task_id}"`,
    steps: movesOn(promptOf(row)),
  }));
  writeFileSync(scripts, JSON.stringify(steps));
});

/** Variables of a process; none if it has ended. */
function variablesOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** Starts a run whose processes have a variable of their own. */
async function start(run: string, ...args: string[]) {
  const variable = `GYMGEN_TEST_PLAY=${work}/${run}`;
  const env = { ...toolchainEnv(), GYMGEN_TEST_PLAY: `${work}/${run}` };
  const ready = ['--python', await python('gym'), '-o', join(work, run)];
  const child = startGymgen(['play', root, '--policy', scripts, ...ready, ...args], env, work);
  const left = () => processesWith(variable);
  /** The folder of the run, once one of its processes has started. */
  const folder = async () => {
    const marks = () =>
      left().flatMap(({ pid }) => {
        return (
          variablesOf(pid)
            .find((each) => each.startsWith(`${MARK}=`))
            ?.slice(MARK.length + 1) ?? []
        );
      });
    return (await eventually(marks, ([mark]) => mark !== undefined, 60_000))[0] as string;
  };
  return { child, left, folder };
}

test('the script of the example makes a profit on each day', async () => {
  const own = scriptsIn(readFileSync(EXAMPLE_POLICY, 'utf8'), EXAMPLE_POLICY);
  const steps = (prompt: string) => own.find((script) => script.prompt?.test(prompt) ?? true)?.steps ?? [];
  const episodes = rows.map((row) => ({ split: 'eval', index: row.index, moves: [...steps(promptOf(row))] }));
  const rewards = (await playDirectly(server.url, episodes)).map(({ reward }) => reward);
  expect(rewards.filter((reward) => Number(reward) > 0.2)).toHaveLength(LIMIT);
});

test('an interrupted run ends all that it started, and leaves no files', async () => {
  const { child, left, folder } = await start('interrupted');
  const path = await folder();
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
  expect(left()).toEqual([]);
  expect(existsSync(path)).toBe(false);
  expect(existsSync(join(work, 'interrupted'))).toBe(false);
});

describe('a run after one that was killed', () => {
  let played: PlayDocument;
  let rollouts: Rollout[];
  let before: ReturnType<typeof snapshot>;

  beforeAll(async () => {
    before = snapshot(root);
    const killed = await start('killed');
    const path = await killed.folder();
    killed.child.kill('SIGKILL');
    await killed.child;
    expect(killed.left(), 'nobody ended them').not.toEqual([]);
    const { child, left } = await start('played', '--limit', `${LIMIT}`, '--repeats', '2', '--json');
    const { exitCode, stdout, stderr } = await child;
    expect(exitCode, stderr).toBe(0);
    expect([...killed.left(), ...left()]).toEqual([]);
    expect(existsSync(path)).toBe(false);
    played = PlayDocument.parse(JSON.parse(stdout));
    rollouts = readJsonLines(join(work, 'played/rollouts.jsonl'));
  });

  test('plays each row of the split for evaluation as often as asked', () => {
    expect(played.servers).toEqual([{ name: 'gridsim_v1', split: 'eval', rows: LIMIT }]);
    const counts = new Map<number, number>();
    for (const { index } of rollouts) counts.set(index, (counts.get(index) ?? 0) + 1);
    expect([...counts].sort(([a], [b]) => a - b)).toEqual(Array.from({ length: LIMIT }, (_, at) => [at, 2]));
  });

  test('plays the scripts of the prompts: the rewards are those of the openenv client', async () => {
    const episodes = rows.map((row) => ({ split: 'eval', index: row.index, moves: movesOn(promptOf(row)) }));
    const direct = (await playDirectly(server.url, episodes)).map(({ reward }) => reward);
    const rewards = rows.map(({ index }) =>
      rollouts.filter((each) => each.index === index).map(({ reward }) => reward),
    );
    expect(rewards).toEqual(direct.map((reward) => [reward, reward]));
    expect(new Set(direct).size).toBeGreaterThan(3);
  });

  test('sums them up', () => {
    const { summary, histogram, files } = played;
    const sum = rollouts.reduce((total, { reward }) => total + reward, 0);
    expect(summary).toMatchObject({ rollouts: 2 * LIMIT, masked: 0, repeated: LIMIT, withoutSignal: LIMIT });
    expect(summary.reward?.mean).toBeCloseTo(sum / (2 * LIMIT));
    expect(histogram?.counts.reduce((total, count) => total + count, 0)).toBe(2 * LIMIT);
    expect(files).toEqual(expect.arrayContaining(['gym.log', 'rollouts.jsonl']));
    expect(played).not.toHaveProperty('model');
  });

  test('changes nothing in the Gym root, and leaves no session open', async () => {
    expect(snapshot(root)).toEqual(before);
    expect(await server.leftOpen()).toBe(0);
  });

  test('writes rollouts that gymgen report reads with the same rewards', async () => {
    const file = join(work, 'played/rollouts.jsonl');
    const page = join(work, 'report.html');
    const report = JSON.parse(await mustGymgen('report', file, '-o', page, '--json'));
    expect(report.runs[0].summary).toEqual(played.summary);
  });
});
