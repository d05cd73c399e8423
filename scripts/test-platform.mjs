// npm run test:platform [-- VITEST ARGUMENTS]: compares gymgen validate with the checkers of NeMo Platform, and with
// NeMo Gym's own servers. Tests that need the Platform's packages are skipped without them.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { killLeftovers, markOf } from './leftovers.mjs';
import { ensureInstalled, root } from './project.mjs';
import { ensureVenv, environment } from './toolchain.mjs';

const { GYMGEN_PLATFORM_PYTHON } = process.env;
if (!GYMGEN_PLATFORM_PYTHON) {
  console.error(`npm run test:platform: GYMGEN_PLATFORM_PYTHON is not set, so the tests with the Platform's checkers are skipped
  uv venv --python 3.13 ../platform
  uv pip install --python ../platform --no-deps nemo-helix==0.8.1 nemo-helix-plugin==0.8.1 nemo-sandboxed-gym==0.1.0
  uv pip install --python ../platform pydantic pyyaml packaging httpx jsonschema pydantic-settings
  GYMGEN_PLATFORM_PYTHON=../platform/bin/python npm run test:platform`);
}
ensureInstalled();
await ensureVenv('gym');
const { status } = spawnSync(
  join(root, 'node_modules/.bin/vitest'),
  ['run', '--project', 'platform', '--reporter=verbose', ...process.argv.slice(2)],
  { cwd: root, env: { ...environment(), ...markOf('platform') }, stdio: ['ignore', 'inherit', 'inherit'] },
);
const left = await killLeftovers('platform', 5000);
for (const { pid, command } of left) console.error(`left a process behind, now killed: ${pid} ${command}`);
process.exitCode = status === 0 && left.length === 0 ? 0 : 1;
