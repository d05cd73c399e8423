// npm run build, second step: writes the types of the library to dist/, only of modules that index.ts names (directly or
// not). So an install needs no package for its types, and an editor shows only what a program can import.

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './project.mjs';

const dist = join(root, 'dist');
const emitted = join(dist, 'declarations');

/** The declarations of index.ts, and of the modules that they name. */
function named() {
  const files = new Set([join(emitted, 'index.d.ts')]);
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const [, module] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      files.add(join(dirname(file), `${module}.d.ts`));
    }
  }
  return [...files];
}

const tsc = join(root, 'node_modules/typescript/bin/tsc');
const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', emitted];
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
if (status === 0) for (const file of named()) cpSync(file, join(dist, relative(emitted, file)));
rmSync(emitted, { recursive: true, force: true });
// An update of golden files may write the types that are missing.
if (status !== 0 && process.env.GYMGEN_UPDATE_GOLDEN !== '1') process.exitCode = 1;
