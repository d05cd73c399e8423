// npm run test:world [-- VITEST ARGUMENTS]: plays the environments of an OpenEnv checkout with real NeMo Gym.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { killLeftovers, markOf } from './leftovers.mjs';
import { ensureInstalled, root } from './project.mjs';
import { ensureVenv, environment } from './toolchain.mjs';

const { OPENENV_REPO } = process.env;
if (!OPENENV_REPO || !existsSync(join(OPENENV_REPO, 'envs'))) {
  console.error(`npm run test:world: OPENENV_REPO=${OPENENV_REPO ?? ''} is not a checkout of the OpenEnv repository
  git clone https://github.com/meta-pytorch/OpenEnv ../OpenEnv
  OPENENV_REPO=../OpenEnv npm run test:world`);
  process.exitCode = 2;
} else {
  await ensureInstalled();
  await ensureVenv('gym');
  const { status } = spawnSync(
    join(root, 'node_modules/.bin/vitest'),
    ['run', '--project', 'world', '--reporter=verbose', ...process.argv.slice(2)],
    {
      cwd: root,
      env: { ...environment(), ...markOf('world'), OPENENV_REPO: resolve(OPENENV_REPO) },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const left = await killLeftovers('world', 5000);
  for (const { pid, command } of left) console.error(`killed a leftover process: ${pid} ${command}`);
  process.exitCode = status === 0 && left.length === 0 ? 0 : 1;
}
