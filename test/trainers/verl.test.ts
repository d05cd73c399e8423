// What `gymgen trainer verl` writes and prints, used by the recipe's own code: it reads the rows, starts the servers and plays.

import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { mustGymgen, startGymgen, tempFolder } from '../e2e/support/gymgen.js';
import { endings } from '../e2e/support/processes.js';
import { ServerVenvs } from '../e2e/support/server-venvs.js';
import { gridsim } from '../e2e/support/servers.js';
import { python, venv } from '../e2e/support/toolchain.js';
import { failed, fakeVllm, gymEnv, ORACLES, reportIn, SERVERS } from './support/nemo-rl.js';

const VERL = process.env.VERL_CHECKOUT;
const MODEL_SERVER = 'responses_api_models/vllm_model';

interface Played {
  overrides: Record<string, unknown>;
  rows: number;
  rollouts: { agent: string; reward: number; turns: number | string }[];
}

const work = tempFolder();
const root = join(work, 'root');
const ending = endings();

/** What the recipe uses of a checkout of NeMo Gym. */
async function gymRoot(): Promise<string> {
  const folder = join(work, 'Gym');
  const packages = await execa(await python('gym'), ['-c', 'import nemo_gym; print(nemo_gym.PARENT_DIR)']);
  mkdirSync(join(folder, MODEL_SERVER), { recursive: true });
  cpSync(join(packages.stdout.trim(), MODEL_SERVER, 'configs'), join(folder, MODEL_SERVER, 'configs'), {
    recursive: true,
  });
  const venvs = new ServerVenvs(await venv('gym'), folder);
  for (const server of [...SERVERS, 'resources_servers/gridsim_v1']) venvs.shareOwn(server);
  return folder;
}

describe.skipIf(!VERL)('with a checkout of verl', () => {
  beforeAll(async () => {
    await mustGymgen(ending(await gridsim()).url, root);
  });

  test('the recipe plays the rows', async () => {
    const { stdout } = await startGymgen(['trainer', 'verl', 'root', '--verl', VERL as string, '--json'], {}, work);
    const { overrides } = JSON.parse(stdout) as { overrides: string[] };
    const unquoted = await execa('sh', ['-c', `printf '%s\\n' ${overrides.join(' ')}`]);
    const model = ending(await fakeVllm(join(ORACLES, 'gridsim_policy.json')));
    const args = ['--verl', VERL as string, '--model-url', new URL(model.url).origin, '--ray-address', inject('ray')];
    const played = await execa(
      await python('gym'),
      [join(ORACLES, 'verl_recipe.py'), ...args, '--limit', '8', ...unquoted.stdout.split('\n')],
      {
        env: { ...(await gymEnv()), NEMO_GYM_EXTRA_ROOTS: root, NEMO_GYM_ROOT: await gymRoot() },
        extendEnv: false,
        reject: false,
        stdin: 'ignore',
        cwd: work,
      },
    );
    const report = reportIn<Played>(played.stdout) ?? failed('verl_recipe.py', played.exitCode, played.stderr);
    expect(report.rows).toBe(200);
    expect(report.overrides['data.train_files']).toEqual([join(root, 'resources_servers/gridsim_v1/data/train.jsonl')]);
    expect(report.rollouts).toHaveLength(8);
    for (const { agent, turns } of report.rollouts) {
      expect({ agent, turns }).toEqual({ agent: 'gridsim_v1_simple_agent', turns: expect.any(Number) });
    }
    expect(report.rollouts.filter(({ reward }) => reward > 0)).not.toHaveLength(0);
  });
});
