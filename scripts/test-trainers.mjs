// npm run test:trainers [-- VITEST ARGUMENTS]: loads the trainers' configs with the trainers' own code, without a GPU.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { killLeftovers, markOf } from './leftovers.mjs';
import { ensureInstalled, root } from './project.mjs';
import { ensureVenv, environment } from './toolchain.mjs';

/** What the tests of a trainer need: a variable, a file in the folder that it names, and how to get the folder. */
const INPUTS = [
  {
    variable: 'NEMO_RL_CHECKOUT',
    file: 'nemo_rl/utils/config.py',
    get: 'git clone https://github.com/NVIDIA-NeMo/RL',
  },
  {
    variable: 'VERL_CHECKOUT',
    file: 'recipe/nemo_gym/agent_loop.py',
    get: 'git clone --recurse-submodules https://github.com/verl-project/verl',
  },
  {
    variable: 'AXOLOTL_VENV',
    file: 'bin/python',
    get:
      'uv venv --python 3.13 DIR; uv pip install --python DIR/bin/python --no-deps axolotl==0.21.0; ' +
      'uv pip install --python DIR/bin/python datasets==5.0.1 aiohttp pydantic pyyaml requests',
  },
];

const given = {};
for (const { variable, file, get } of INPUTS) {
  const folder = process.env[variable];
  if (!folder) console.error(`${variable} is not set: its tests are skipped (${get})`);
  else if (existsSync(join(folder, file))) given[variable] = resolve(folder);
  else {
    console.error(`npm run test:trainers: ${variable}=${folder} has no ${file}\n  ${get}`);
    process.exitCode = 2;
  }
}

if (process.exitCode === undefined) {
  await ensureInstalled();
  await ensureVenv('gym');
  const { status } = spawnSync(
    join(root, 'node_modules/.bin/vitest'),
    ['run', '--project', 'trainers', '--reporter=verbose', ...process.argv.slice(2)],
    { cwd: root, env: { ...environment(), ...markOf('trainers'), ...given }, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const left = await killLeftovers('trainers', 5000);
  for (const { pid, command } of left) console.error(`left a process behind, now killed: ${pid} ${command}`);
  process.exitCode = status === 0 && left.length === 0 ? 0 : 1;
}
