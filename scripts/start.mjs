// npm start: installs and builds if needed, then runs `gymgen demo` with the same arguments.

import { join } from 'node:path';
import { ensureBundled, ensureInstalled, root } from './project.mjs';

try {
  await ensureInstalled();
  await ensureBundled();
} catch (error) {
  console.error(`npm start: ${error.message}`);
  process.exit(1);
}

// In this process, because a child process would get each Ctrl-C of a terminal twice.
const gymgen = join(root, 'bin/gymgen.cjs');
process.argv = [process.execPath, gymgen, 'demo', ...process.argv.slice(2)];
await import(gymgen);
