// One Ray for all test files. Otherwise, each `gym env start` would start its own Ray, including the dashboard.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { freePort } from './ports.js';
import { Background, killWith } from './processes.js';
import { toolchainEnv, venv } from './toolchain.js';

/** Without this, Ray requires a token in the home folder. The Ray that Gym starts needs none. */
export const OPEN = { RAY_AUTH_MODE: 'disabled' };

declare module 'vitest' {
  export interface ProvidedContext {
    /** Its address, as NeMo Gym's `ray_head_node_address` takes it. */
    ray: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'ray-')); // the paths of its sockets must be shorter than 108 characters
  const port = await freePort();
  const settings = ['--include-dashboard=false', '--disable-usage-stats', '--node-ip-address=127.0.0.1'];
  const args = ['start', '--head', '--block', `--port=${port}`, `--temp-dir=${folder}`, ...settings];
  const env = { ...toolchainEnv(), ...OPEN, GYMGEN_RAY: folder };
  const ray = new Background(join(await venv('gym'), 'bin', 'ray'), args, { cwd: folder, env });
  const stop = async () => {
    await ray.stop();
    killWith(`GYMGEN_RAY=${folder}`);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await ray.ready((line) => line.includes('Ray runtime started') || undefined);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('ray', `127.0.0.1:${port}`);
  return stop;
}
