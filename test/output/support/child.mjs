// Runs one job with the code that was built into this folder. It can kill itself before any call that changes the disk.
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

const job = JSON.parse(process.argv[2]);
const steps = [];

for (const name of ['mkdir', 'open', 'rename', 'rm', 'rmdir', 'unlink']) {
  const real = fs[name];
  fs[name] = (...args) => {
    const readsOnly = name === 'open' && args[1] !== 'wx';
    if (readsOnly) return real(...args);
    steps.push(`${name} ${basename(String(args[name === 'rename' ? 1 : 0]))}`);
    if (steps.length === job.killAt) process.kill(process.pid, 'SIGKILL');
    return real(...args);
  };
}
syncBuiltinESMExports();

const { finishCommits, writeFolder } = await import('./output.js');

async function* chunks(rows) {
  for (const chunk of rows) yield Buffer.from(chunk);
}

async function* outputs() {
  for (const [path, file] of Object.entries(job.files)) {
    yield typeof file === 'string' ? { path, content: file } : { path, rows: chunks(file) };
  }
}

async function run() {
  await finishCommits(job.gymRoot);
  if (!job.files) return undefined;
  const record = () => ({ source: 'http://127.0.0.1:8000' });
  const target = { gymRoot: job.gymRoot, name: 'gridsim_v1' };
  const options = { signal: new AbortController().signal, dryRun: job.dryRun };
  return (await writeFolder(target, outputs(), record, options)).changed;
}

let error;
let changed;
try {
  changed = await run();
} catch (caught) {
  const { name, message, where, fix } = caught;
  error = { name, message, where, fix };
}
process.stdout.write(JSON.stringify({ steps, changed, error }));
