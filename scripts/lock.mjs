// node scripts/lock.mjs: locks the packages that gymgen installs, with hashes, in requirements/*.txt. The npm package
// ships these files.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './project.mjs';
import { findUv } from './toolchain.mjs';

/** What to lock, and the oldest Python to support. */
const LOCKS = {
  uv: { input: 'uv==0.13.9', python: '3.8' },
  packaging: { input: 'packaging', python: '3.11' }, // for templates/wheels/
  agentenv: { input: 'agentenv-framework[openenv]==0.9.1364', python: '3.11.4' },
  'nemo-gym': { input: 'nemo-gym==0.7.0', python: '3.13.14', built: ['antlr4-python3-runtime'] },
  build: { input: 'setuptools==80.9.0', python: '3.13.14' },
  gridsim: { input: join(root, 'fixtures', 'gridsim', 'pyproject.toml'), python: '3.11' },
};
const WITHOUT = join(root, 'scripts', 'requirements', 'without.txt');
/** Wheels only, because a build would install unlocked packages. No index URL, because users may have a mirror. */
const FLAGS = [
  '--universal',
  '--generate-hashes',
  '--only-binary',
  ':all:',
  '--no-annotate',
  '--no-header',
  '--no-config',
];
const NO_INDEX = ['--no-emit-index-url', '--no-emit-find-links'];

for (const [name, { input, python, built = [] }] of Object.entries(LOCKS)) {
  const isFile = input.startsWith(root);
  const output = join(root, 'requirements', `${name}.txt`);
  const args = [isFile ? input : '-', '--python-version', python, '--overrides', WITHOUT, '--output-file', output];
  const sdists = built.flatMap((each) => ['--no-binary', each]); // have no wheel; `build` locks what builds them
  execFileSync(findUv(), ['pip', 'compile', '--quiet', '--upgrade', ...args, ...FLAGS, ...sdists, ...NO_INDEX], {
    cwd: '/',
    input: isFile ? '' : input,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}
