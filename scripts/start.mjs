// npm start: installs and builds if needed, then runs `gymgen demo` with the same arguments.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './project.mjs';

try {
  ensureInstalled();
  ensureBuilt();
} catch (error) {
  console.error(`npm start: ${error.message}`);
  process.exit(1);
}

const demo = spawn(process.execPath, [join(root, 'bin/gymgen.cjs'), 'demo', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => demo.kill(signal));
demo.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});
