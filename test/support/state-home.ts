import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives all tests of a project a state folder of their own, which later processes inherit: none touches the user's. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-state-'));
  process.env.XDG_STATE_HOME = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
