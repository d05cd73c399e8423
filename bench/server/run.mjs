// npm run bench:server [-- OPTION…]: compare.py, with the options that it takes, on what gymgen writes now.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from '../../scripts/project.mjs';
import { ensureVenv, environment } from '../../scripts/toolchain.mjs';

await ensureInstalled();
await ensureBuilt();
const python = join(await ensureVenv('gym'), 'bin', 'python');
const gymgen = `'${process.execPath}' '${join(root, 'bin/gymgen.cjs')}'`;
const out = join(root, '.reports', 'bench-server');
const args = [join(root, 'bench/server/compare.py'), '--gymgen', gymgen, '--out', out, ...process.argv.slice(2)];
const child = spawn(python, args, { env: environment(), stdio: 'inherit' });
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
