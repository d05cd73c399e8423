// Runs the fuzzer as a child process, which is killed if one input keeps it busy for a minute.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { handlebars } from '../../../scripts/handlebars.mjs';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const LONGEST_MS = 60_000;

/**
 * @param job `{seed, runs}` for that many inputs of each target, or `{target, text}` for one
 * @returns the last line that the child printed, parsed
 * @throws Error if it was killed or failed
 */
export async function fuzz(job) {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-fuzz-'));
  try {
    const file = join(folder, 'code', 'main.js');
    await build({ input: MAIN, platform: 'node', plugins: [handlebars], output: { dir: join(folder, 'code') } });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const jobFile = join(folder, 'job.json'); // a text is longer than an argument may be
    writeFileSync(jobFile, JSON.stringify(job));
    return await run(file, folder, jobFile);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(file, folder, jobFile) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, folder, jobFile], { stdio: ['ignore', 'pipe', 'pipe'] });
    let last = '{}';
    let said = '';
    let killed = false;
    const kill = () => {
      killed = true;
      child.kill('SIGKILL');
    };
    let timer = setTimeout(kill, LONGEST_MS);
    createInterface({ input: child.stdout }).on('line', (line) => {
      last = line;
      clearTimeout(timer);
      timer = setTimeout(kill, LONGEST_MS);
    });
    child.stderr.on('data', (text) => {
      said = (said + text).slice(-4000);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(JSON.parse(last));
      else reject(new Error(killed ? `killed after ${LONGEST_MS / 1000} s at ${last}` : `ended with ${code}: ${said}`));
    });
  });
}
