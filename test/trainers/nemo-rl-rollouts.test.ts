// Rollouts as NeMo RL plays them: its own actor starts NeMo Gym's servers, plays rows and processes the results, on a CPU.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { mustGymgen, tempFolder } from '../e2e/support/gymgen.js';
import { endings } from '../e2e/support/processes.js';
import { faulty, gridsim } from '../e2e/support/servers.js';
import { CHECKOUT, fakeVllm, ORACLES, type Played, runExamples } from './support/nemo-rl.js';

const POLICY = join(ORACLES, 'gridsim_policy.json');
/** In seconds: a call that hangs must not cost a minute. */
const TIMEOUTS = ['--tool-timeout', '10', '--reset-timeout', '30', '--idle-timeout', '120'];
const FAULTS = 20;

const work = tempFolder();
const root = join(work, 'root');
const ending = endings();

async function play(
  name: string,
  options: { split: string; limit: number; repeats?: number; policy?: string },
  ...flags: string[]
): Promise<Played> {
  const model = ending(await fakeVllm(options.policy ?? POLICY, ...flags));
  return runExamples(root, name, { ...options, model: model.url, work, ray: inject('ray') });
}

/** Submits an idle day and ends it. */
function idlePolicy(): string {
  const file = join(work, 'policy.json');
  const schedule = Array(24).fill(0);
  const script = [{ call: [['submit_schedule', { schedule }]] }, { call: [['end_turn', {}]] }, { say: 'done' }];
  writeFileSync(file, JSON.stringify([script]));
  return file;
}

const sum = (components: Record<string, number>) => Object.values(components).reduce((all, each) => all + each, 0);

describe.skipIf(!CHECKOUT)('with a checkout of NeMo RL', () => {
  beforeAll(async () => {
    await mustGymgen(ending(await gridsim()).url, root);
    const faults = ending(await faulty());
    await mustGymgen(faults.url, root, '--name', 'faulty', ...TIMEOUTS);
    await faults.control({ slow_s: 60 }); // longer than the time limits
  });

  test('80 rollouts are contiguous, and their components add up to the rewards', async () => {
    const { failure, rollouts } = await play('gridsim_v1', { split: 'eval', limit: 20, repeats: 4 });
    expect({ failure, count: rollouts.length }).toEqual({ failure: null, count: 80 });
    expect(new Set(rollouts.map(({ turns }) => turns)).size).toBeGreaterThan(1);
    expect(rollouts.filter(({ reward }) => reward > 0)).not.toHaveLength(0);
    for (const { reward, components } of rollouts) if (components) expect(sum(components)).toBeCloseTo(reward, 5);
  });

  test('what the server masks, the loss leaves out', async () => {
    const played = await play('faulty', { split: 'faults', limit: FAULTS, policy: idlePolicy() });
    expect(played).toMatchObject({ failure: null, 'masked by the server': 16, "masked in NeMo RL's loss": 16 });
  });

  test('a prompt that does not begin with the tokens before ends the run', async () => {
    const { failure } = await play('gridsim_v1', { split: 'eval', limit: 10 }, '--break-prefix');
    expect(failure).toContain('contiguous');
  });

  test('a row that is too long ends the run, as gymgen predicts', async () => {
    // The fake model has a token for each byte: 1,400 of its tokens are 350 at 4 characters each.
    const { failure } = await play('gridsim_v1', { split: 'eval', limit: 4 }, '--max-model-len', '1400');
    expect(failure).toContain('no generation data');
    const args = ['--nemo-rl', CHECKOUT as string, '--dry-run', '--json', '--max-total-sequence-length', '350'];
    const { overLength, warnings } = JSON.parse(await mustGymgen('trainer', 'nemo-rl', root, 'gridsim_v1', ...args));
    expect(overLength.count).toBeGreaterThan(0);
    expect(warnings).toMatchObject([{ code: 'nemo-rl-length' }]);
  });
});
