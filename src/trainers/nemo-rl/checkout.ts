import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../errors.js';
import { type Finding, gymRoot, warning } from '../../rules/index.js';
import { readGymRoot } from '../../written/index.js';

/** Paths in a checkout of NeMo RL (NVIDIA-NeMo/RL 7ea279a). */
const BASE = 'examples/configs/grpo_math_1B.yaml';
const RUNNER = 'examples/nemo_gym/run_grpo_nemo_gym.py';
const GYM = '3rdparty/Gym-workspace/Gym';

/** A checkout of NeMo RL. */
export interface Checkout {
  path: string;
  /** Config that has every key which NeMo RL reads without a default. */
  base: string;
  /** Script that trains on NeMo Gym. */
  runner: string;
  /** NeMo Gym's own checkout in it, which may be missing. */
  gym: string;
}

/** @throws UserError if the folder is not a checkout of NeMo RL with the config and the script that training needs */
export async function checkoutAt(path: string): Promise<Checkout> {
  for (const file of [BASE, RUNNER]) {
    const found = await stat(join(path, file)).catch(() => undefined);
    if (found?.isFile()) continue;
    throw new UserError(`not a checkout of NeMo RL: it has no ${file}`, {
      where: path,
      fix: 'git clone --recursive https://github.com/NVIDIA-NeMo/RL, and name that folder',
    });
  }
  return { path, base: join(path, BASE), runner: join(path, RUNNER), gym: join(path, GYM) };
}

/** A warning if the checkout's NeMo Gym is too old for the written servers. */
export async function gymVersion({ gym }: Checkout): Promise<Finding[]> {
  const findings = gymRoot(await readGymRoot(gym)).filter(({ code }) => code === 'root-version');
  return findings.map(({ problem }) => {
    return warning('nemo-rl-gym', GYM, problem, 'update the checkout of NeMo RL and its submodules');
  });
}
