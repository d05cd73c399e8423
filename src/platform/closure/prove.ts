import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { offlineUvFlags } from '../../rules/index.js';
import type { ResolveParts } from './resolve.js';
import { runUv, type Tools } from './uv.js';

/**
 * Checks offline, without an install, that the wheels are sufficient for a job: for its first install, which uses every
 * wheel, and for the venvs of the servers.
 * @param packaged paths of the wheels that go into the package
 * @throws UserError with uv's message
 */
export async function prove(
  { requirements, platform, policy, wheels }: ResolveParts & { wheels: string },
  packaged: readonly string[],
  tools: Tools,
): Promise<void> {
  const common = offlineUvFlags(wheels, platform);
  const nowhere = path.join(tools.cwd, 'target');
  await mkdir(nowhere, { recursive: true });
  const install = ['pip', 'install', ...common, '--dry-run', '--target', nowhere, ...packaged];
  const fix = 'correct a --pin, or the wheels of --wheelhouse';
  const input = await listed('proof.txt', requirements, tools);
  const output = path.join(tools.cwd, 'proven.txt');
  await runUv(
    ['pip', 'compile', ...common, input, '-o', output],
    "the wheels lack something for a server's venv",
    fix,
    tools,
  );
  await runUv(install, 'the wheels cannot be installed together', fix, tools);
  if (!policy) return;
  const overrides = await listed('overrides.txt', policy.overrides, tools);
  const constraints = await listed('constraints.txt', policy.constraints, tools);
  await runUv(
    [...install, '--overrides', overrides, '--constraints', constraints],
    'the wheels cannot be installed under the settings of --uv-policy',
    fix,
    tools,
  );
}

async function listed(name: string, lines: readonly string[], { cwd }: Tools): Promise<string> {
  const file = path.join(cwd, name);
  await writeFile(file, [...lines, ''].join('\n'));
  return file;
}
