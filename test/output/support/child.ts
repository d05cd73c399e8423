import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'rolldown';
import { afterAll, beforeAll } from 'vitest';
import type { Files } from './gym-root.js';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

export interface Job {
  gymRoot: string;
  /** Files to write. Without them, the child only finishes commits. */
  files?: Files;
  dryRun?: boolean;
  /** Number of the call that changes the disk, from 1, before which the child kills itself (SIGKILL). */
  killAt?: number;
}

export interface Outcome {
  /** The calls that change the disk, in order: `rename journal.json`. */
  steps: string[];
  changed?: boolean;
  error?: { name: string; message: string; where?: string; fix?: string };
}

export interface Child {
  process: ChildProcess;
  /** Undefined if it was killed. */
  outcome: Promise<Outcome | undefined>;
}

/** Runs src/output/ in a child process, which can be killed. */
export function childProcesses(): (job: Job, uid?: number) => Child {
  let built: string;
  beforeAll(async () => {
    built = await build();
  });
  afterAll(() => rmSync(built, { recursive: true, force: true }));
  return (job, uid) => start(built, job, uid);
}

function start(built: string, job: Job, uid?: number): Child {
  const script = join(built, 'child.mjs');
  const child = spawn(process.execPath, [script, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const outcome = new Promise<Outcome | undefined>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code === null ? undefined : JSON.parse(text)));
  });
  return { process: child, outcome };
}

/** In a temporary folder, since another user may have no access to the repository. */
async function build(): Promise<string> {
  const built = mkdtempSync(join(tmpdir(), 'gymgen-built-'));
  chmodSync(built, 0o755);
  const input = join(REPOSITORY, 'src/output/index.ts');
  await bundle({ input, platform: 'node', output: { file: join(built, 'output.js') } });
  writeFileSync(join(built, 'package.json'), '{"type":"module"}');
  writeFileSync(join(built, 'child.mjs'), readFileSync(new URL('./child.mjs', import.meta.url)));
  return built;
}
