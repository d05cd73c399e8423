// npm test [-- TIER…]: runs the tiers, continues after failures, and ends with a summary.

import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { killLeftovers, markOf } from './leftovers.mjs';
import { passing } from './passed.mjs';
import { ensureBuilt, ensureInstalled, root } from './project.mjs';
import { summary } from './reports.mjs';
import { LANES, TIERS } from './tiers.mjs';
import { ensureVenv, environment } from './toolchain.mjs';

const reports = join(root, '.reports');
const running = new Set(); // the running programs
let stopped; // the signal that ended the run

/** Runs one program. Resolves with `ok` (exit code 0) and, if `keep` is set, with what it printed. */
function run(command, args, { env, cwd, keep }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', ...(keep ? ['pipe', 'pipe'] : ['inherit', 'inherit'])],
    });
    running.add(child);
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(chunk));
    const end = (ok) => {
      running.delete(child);
      resolve({ ok, printed: Buffer.concat(printed) });
    };
    child.on('error', (error) => {
      console.error(error.message);
      end(false);
    });
    child.on('close', (code) => end(code === 0));
  });
}

/** Installs and builds what the tiers need. Returns their environment, which has its own temporary folder. */
async function prepare(tiers) {
  const wanted = tiers.map((name) => TIERS[name]);
  if (wanted.some(({ built }) => built)) await ensureBuilt();
  for (const venv of new Set(wanted.flatMap(({ venvs }) => venvs))) await ensureVenv(venv);
  // The name is short, because Ray puts sockets there. The folder is readable for all, because some tests run as
  // another user.
  const temp = mkdtempSync(join(tmpdir(), 'gg-'));
  chmodSync(temp, 0o755);
  return { ...environment(), TMPDIR: temp, XDG_STATE_HOME: join(temp, 'state') };
}

/** @param keep whether to show the output only at the end, because another lane prints at the same time */
async function runCheck(check, env, keep) {
  const title = `\n── ${check.name}`;
  const passed = passing(check);
  if (passed.known) {
    console.log(`${title}\ncached: passed with the same files`);
    return { passed: 1, failed: 0, skipped: 0, failures: [] };
  }
  if (!keep) console.log(title);
  const file = join(reports, `${check.name.replaceAll(/\W+/g, '-')}.${check.report === 'vitest' ? 'json' : 'xml'}`);
  const args = typeof check.args === 'function' ? check.args(file) : check.args;
  const { ok, printed } = await run(check.command, args, { env, cwd: join(root, check.cwd ?? ''), keep });
  if (keep) console.log(`${title}\n${printed}`);
  const result = summary(check, file, ok);
  if (result.failed === 0) passed.note();
  return result;
}

async function runTier(name, env, keep) {
  const began = Date.now();
  const total = { tier: name, passed: 0, failed: 0, skipped: 0, failures: [], seconds: 0 };
  for (const check of TIERS[name].checks) {
    if (stopped) break;
    const result = await runCheck(check, { ...env, ...markOf(name) }, keep);
    for (const key of ['passed', 'failed', 'skipped']) total[key] += result[key];
    total.failures.push(...result.failures);
  }
  for (const { pid, command } of await killLeftovers(name, stopped ? 0 : 5000)) {
    total.failed += 1;
    total.failures.push(`killed a leftover process: ${pid} ${command}`);
  }
  total.seconds = (Date.now() - began) / 1000;
  return total;
}

async function runLane(tiers, env, keep) {
  const totals = [];
  for (const name of tiers) if (!stopped) totals.push(await runTier(name, env, keep));
  return totals;
}

function table(totals) {
  const line = (cells) => cells.map((cell, at) => (at === 0 ? cell.padEnd(10) : cell.padStart(9))).join('');
  const rows = totals.map((t) => [t.tier, t.passed, t.failed, t.skipped, `${t.seconds.toFixed(1)} s`].map(String));
  return [['tier', 'passed', 'failed', 'skipped', 'time'], ...rows].map(line).join('\n');
}

async function main(tiers) {
  const unknown = tiers.find((name) => !(name in TIERS));
  if (unknown) {
    console.error(`npm test: unknown tier ${unknown}; the tiers are ${Object.keys(TIERS).join(', ')}`);
    return 2;
  }
  await ensureInstalled();
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const began = Date.now();
  const env = await prepare(tiers);
  console.log(`prepared in ${((Date.now() - began) / 1000).toFixed(1)} s`);
  const lanes = LANES.map((lane) => lane.filter((name) => tiers.includes(name))).filter((lane) => lane.length > 0);
  const totals = (await Promise.all(lanes.map((lane) => runLane(lane, env, lanes.length > 1)))).flat();
  for (const left of [env.TMPDIR, join(env.PYTHONPYCACHEPREFIX, env.TMPDIR)])
    rmSync(left, { recursive: true, force: true });
  const sum = (key) => totals.reduce((all, total) => all + total[key], 0);
  console.log(`\n${table(totals)}\n`);
  for (const { tier, failures } of totals) for (const failure of failures) console.log(`failed: ${tier}: ${failure}`);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed${sum('skipped') ? `, ${sum('skipped')} skipped` : ''}`);
  return stopped ? 128 + constants.signals[stopped] : Number(sum('failed') > 0);
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    stopped = signal;
    for (const child of running) child.kill(signal);
  });
}

try {
  const asked = process.argv.slice(2);
  process.exitCode = await main(asked.length > 0 ? asked : Object.keys(TIERS));
} catch (error) {
  console.error(`npm test: ${error.message}`);
  process.exitCode = 1;
}
