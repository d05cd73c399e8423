// What is measured, and the servers that it is measured on.

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

/** @param served splits, bytes, toolsets, sessions and resetSeconds, as support/static-server.mjs takes them */
export function whileStatic(served, work) {
  return whileServed([node, here('static-server.mjs'), JSON.stringify(served)], work);
}

/** Runs `work` with a folder that is there as long, and goes with this process if that ends before. */
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
