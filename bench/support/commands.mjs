// The commands to measure, and their servers.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../scripts/project.mjs';
import { whileServed } from './measure.mjs';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

export const node = process.execPath;
export const gymgen = (...args) => [node, join(root, 'bin', 'gymgen.cjs'), ...args];
export const bareClient = (...args) => [node, here('bare-client.mjs'), ...args.map(String)];

/** @param served splits, bytes, toolsets, sessions and resetSeconds, as in support/static-server.mjs */
export function whileStatic(served, work) {
  return whileServed([node, here('static-server.mjs'), JSON.stringify(served)], work);
}

/** Runs `work` with a temporary folder. Removes the folder afterwards, or when this process exits. */
export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-bench-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    return await work(folder);
  } finally {
    process.removeListener('exit', remove);
    remove();
  }
}
