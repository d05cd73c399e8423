// npm run test:platform [-- VITEST ARGUMENTS]: packages with real wheels, played by the host script of a NeMo Platform job.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { killLeftovers, markOf } from './leftovers.mjs';
import { ensureInstalled, root } from './project.mjs';
import { cacheFolder, ensureVenv, environment, findPython313, findUv, run } from './toolchain.mjs';

/** NeMo Platform's own checkers and its loader, and what these import. */
const ORACLES = ['nemo-helix==0.8.1', 'nemo-helix-plugin==0.8.1', 'nemo-sandboxed-gym==0.1.0'];
const IMPORTS = ['pydantic', 'pyyaml', 'packaging', 'httpx', 'jsonschema', 'pydantic-settings'];
/** What the evaluator imports. */
const EVALUATOR = [
  ...['cloudpickle', 'fastapi', 'fsspec', 'jinja2', 'jsonpath-ng', 'lark', 'openai', 'opentelemetry-api'],
  ...['opentelemetry-proto', 'opentelemetry-sdk', 'pytrec-eval-terrier', 'sacrebleu'],
];

/** The Python of a venv with the oracles. */
function oracles() {
  const packages = createHash('sha256').update([...ORACLES, ...IMPORTS, ...EVALUATOR].join());
  const folder = join(cacheFolder(), `nemo-helix-${packages.digest('hex').slice(0, 16)}`);
  const python = join(folder, 'bin', 'python');
  if (existsSync(join(folder, 'complete'))) return python;
  const uv = (...args) => run(findUv(), args, { env: environment() });
  uv('venv', '--quiet', '--clear', '--python', findPython313(), folder);
  uv('pip', 'install', '--quiet', '--python', python, '--no-deps', ...ORACLES);
  uv('pip', 'install', '--quiet', '--python', python, ...IMPORTS, ...EVALUATOR);
  run('touch', [join(folder, 'complete')]);
  return python;
}

await ensureInstalled();
await ensureVenv('gym');
const env = { ...environment(), ...markOf('platform'), GYMGEN_ORACLES: oracles() };
const vitest = join(root, 'node_modules/.bin/vitest');
const args = ['run', '--project', 'platform', '--reporter=verbose', ...process.argv.slice(2)];
const { status } = spawnSync(vitest, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
const left = await killLeftovers('platform', 5000);
for (const { pid, command } of left) console.error(`left a process behind, now killed: ${pid} ${command}`);
process.exitCode = status === 0 && left.length === 0 ? 0 : 1;
