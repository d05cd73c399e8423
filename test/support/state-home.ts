import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives all tests of a project their own state folder, which child processes inherit. The user's folder stays
 * unchanged.
 */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-state-'));
  process.env.XDG_STATE_HOME = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
