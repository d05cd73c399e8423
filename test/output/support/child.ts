import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import type { Files } from './gym-root.js';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

export interface Job {
  gymRoot: string;
  /** What to write; without it, commits are finished. */
  files?: Files;
  dryRun?: boolean;
  /** Die by SIGKILL right before this call that changes the disk, counted from 1. */
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
  /** Undefined where it was killed. */
  outcome: Promise<Outcome | undefined>;
}

/** Runs the built code in a process of its own, which can be killed. */
export function childProcesses(): (job: Job, uid?: number) => Child {
  let built: string;
  beforeAll(() => {
    built = build();
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

/** A copy, since another user may not come to where the repository is. */
function build(): string {
  const built = mkdtempSync(join(tmpdir(), 'gymgen-built-'));
  chmodSync(built, 0o755);
  cpSync(join(REPOSITORY, 'dist'), built, { recursive: true });
  writeFileSync(join(built, 'package.json'), '{"type":"module"}');
  writeFileSync(join(built, 'child.mjs'), readFileSync(new URL('./child.mjs', import.meta.url)));
  symlinkSync(join(REPOSITORY, 'node_modules'), join(built, 'node_modules'));
  return built;
}
