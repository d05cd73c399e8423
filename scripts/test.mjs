// npm test [-- TIER…]: runs the tiers one after another, past failures, and ends with what they came to.

import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { killLeftovers, MARK } from './leftovers.mjs';
import { ensureBuilt, ensureInstalled, root } from './project.mjs';
import { count } from './reports.mjs';
import { TIERS } from './tiers.mjs';
import { ensureVenv, environment } from './toolchain.mjs';

const reports = join(root, '.reports');
let running; // the program under way
let stopped; // the signal that ended the run

/** Runs one program to its end. True where it exited with 0. */
function run(command, args, { env, cwd }) {
  return new Promise((resolve) => {
    running = spawn(command, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
    running.on('error', (error) => {
      console.error(error.message);
      resolve(false);
    });
    running.on('exit', (code) => resolve(code === 0));
  });
}

async function prepare({ venvs, built }) {
  if (built) ensureBuilt();
  for (const venv of venvs) await ensureVenv(venv);
  return { ...(venvs.length > 0 ? environment() : process.env), ...MARK, PYTHONDONTWRITEBYTECODE: '1' };
}

async function runCheck(check, env) {
  console.log(`\n── ${check.name}`);
  const file = join(reports, `${check.name.replaceAll(/\W+/g, '-')}.${check.report === 'vitest' ? 'json' : 'xml'}`);
  const args = typeof check.args === 'function' ? check.args(file) : check.args;
  const ok = await run(check.command, args, { env, cwd: join(root, check.cwd ?? '') });
  const counts = count(check, file, ok);
  if (counts.failed > 0) console.log(`failed: ${check.name}`);
  return counts;
}

async function runTier(name) {
  const began = Date.now();
  const total = { tier: name, passed: 0, failed: 0, skipped: 0, seconds: 0 };
  try {
    const env = await prepare(TIERS[name]);
    for (const check of TIERS[name].checks) {
      if (stopped) break;
      const counts = await runCheck(check, env);
      for (const key of ['passed', 'failed', 'skipped']) total[key] += counts[key];
    }
  } catch (error) {
    console.error(`${name}: ${error.message}`);
    total.failed += 1;
  }
  for (const { pid, command } of await killLeftovers(stopped ? 0 : 5000)) {
    console.error(`${name} left a process behind, now killed: ${pid} ${command}`);
    total.failed += 1;
  }
  total.seconds = (Date.now() - began) / 1000;
  return total;
}

function table(totals) {
  const line = (cells) => cells.map((cell, at) => (at === 0 ? cell.padEnd(10) : cell.padStart(9))).join('');
  const rows = totals.map((t) => [t.tier, t.passed, t.failed, t.skipped, `${t.seconds.toFixed(1)} s`].map(String));
  return [['tier', 'passed', 'failed', 'skipped', 'time'], ...rows].map(line).join('\n');
}

async function main(tiers) {
  const unknown = tiers.find((name) => !(name in TIERS));
  if (unknown) {
    console.error(`npm test: there is no tier ${unknown}; the tiers are ${Object.keys(TIERS).join(', ')}`);
    return 2;
  }
  ensureInstalled();
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const totals = [];
  for (const name of tiers) if (!stopped) totals.push(await runTier(name));
  const sum = (key) => totals.reduce((all, total) => all + total[key], 0);
  console.log(`\n${table(totals)}\n`);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed${sum('skipped') ? `, ${sum('skipped')} skipped` : ''}`);
  return stopped ? 128 + constants.signals[stopped] : Number(sum('failed') > 0);
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    stopped = signal;
    running?.kill(signal);
  });
}

try {
  const asked = process.argv.slice(2);
  process.exitCode = await main(asked.length > 0 ? asked : Object.keys(TIERS));
} catch (error) {
  console.error(`npm test: ${error.message}`);
  process.exitCode = 1;
}
