// node bench/source.mjs [REPEAT]: `gymgen BUNDLE ROOT` against serving the bundle by hand and running gymgen on its URL.
//
// Each way is timed from its start to the moment that gymgen says `wrote`. They take turns, in a changing order, with the same
// Python and the same settings of AgentEnv; a first round of each, in which caches fill, doesn't count.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ensureBuilt, root } from '../scripts/project.mjs';
import { ensureVenv, environment } from '../scripts/toolchain.mjs';

const FIXTURES = join(root, 'fixtures/agentenv');
const BUNDLE = join(FIXTURES, 'bundles/qa-v1');
const MOST = 1.2;

/** Starts a program. Its first line that `find` finds something in is awaited; ended, it takes its children with it. */
function start(command, args, options) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], ...options });
  const closed = once(child, 'close');
  return {
    async line(find) {
      for await (const line of createInterface({ input: child.stdout })) {
        const found = find(line);
        if (found) return found;
      }
      throw new Error(`${command} ${args.join(' ')} ended before it was ready`);
    },
    async end() {
      child.stdin.end();
      await closed;
    },
  };
}

/** Runs gymgen up to `wrote`. */
async function write(source, env) {
  const gymRoot = mkdtempSync(join(tmpdir(), 'gymgen-bench-'));
  const run = start(process.execPath, [join(root, 'bin/gymgen.js'), source, gymRoot, '--quiet'], { env });
  await run.line((line) => line.startsWith('wrote'));
  return async () => {
    await run.end();
    rmSync(gymRoot, { recursive: true });
  };
}

/** Milliseconds that a way took, which gives what ends it. */
async function timed(way) {
  const began = performance.now();
  const end = await way();
  const took = performance.now() - began;
  await end();
  return took;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/**
 * @param {{ repeat?: number }} options odd numbers have a median
 * @returns {Promise<{ ratio: number, most: number, byFolder: number, byHand: number }>} medians, in milliseconds
 */
export async function source({ repeat = 7 } = {}) {
  ensureBuilt();
  const venv = await ensureVenv('agentenv');
  const state = mkdtempSync(join(tmpdir(), 'gymgen-bench-state-'));
  const env = {
    ...environment(),
    VIRTUAL_ENV: venv,
    AGENT_ENV_CONFIG: join(FIXTURES, 'config.toml'),
    PYTHONPATH: join(FIXTURES, 'plugin'),
    XDG_STATE_HOME: state,
    LOGLEVEL: 'ERROR', // of AgentEnv and of what serves it by hand
  };
  const byFolder = () => write(BUNDLE, env);
  const byHand = async () => {
    const server = start(join(venv, 'bin/python'), [join(FIXTURES, 'serve.py'), BUNDLE, '--max-envs', '8'], { env });
    const url = await server.line((line) => line.startsWith('{') && JSON.parse(line).url);
    const end = await write(url, env);
    return async () => {
      await end();
      await server.end();
    };
  };
  const took = { byFolder: [], byHand: [] };
  try {
    for (let round = 0; round <= repeat; round += 1) {
      const ways = Object.entries({ byFolder, byHand });
      for (const [name, way] of round % 2 ? ways.reverse() : ways) {
        const time = await timed(way);
        if (round > 0) took[name].push(time);
      }
    }
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
  const medians = { byFolder: median(took.byFolder), byHand: median(took.byHand) };
  return { ratio: medians.byFolder / medians.byHand, most: MOST, ...medians };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { ratio, most, byFolder, byHand } = await source({ repeat: Number(process.argv[2] ?? 7) });
  const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
  console.log(`by folder ${seconds(byFolder)}, by hand ${seconds(byHand)}: ${ratio.toFixed(2)} (at most ${most})`);
  process.exitCode = Number(ratio > most);
}
