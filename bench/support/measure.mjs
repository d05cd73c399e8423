// Measures commands that run in turn. On a machine with other load, only such figures can be compared.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MEASURE = fileURLToPath(new URL('measure.py', import.meta.url));

/** Runs a command. Returns seconds, CPU seconds and peak memory in bytes. If it fails, throws the end of its output. */
export function measure([command, ...args], { ok = [0], ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn('python3', [MEASURE, command, ...args], { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    let result = '';
    child.stderr.on('data', (text) => {
      output = (output + text).slice(-4000);
    });
    child.stdout.on('data', (text) => {
      result += text;
    });
    child.on('error', reject);
    child.on('close', () => {
      const figures = result === '' ? { code: 1 } : JSON.parse(result);
      if (ok.includes(figures.code)) resolve(figures);
      else reject(new Error(`${command} ${args.join(' ')} ended with ${figures.code}:\n${output}`));
    });
  });
}

/**
 * Runs each command `repeat` times, in turn. Each round starts with another command.
 * @param commands by name: a command for `measure`, or a function that resolves to figures
 * @param before is called before each run with its name, to remove the previous output (also from the disk's write
 *   queue)
 * @returns the median of each figure, by name
 */
export async function inTurn(commands, repeat, before = async () => {}) {
  const names = Object.keys(commands);
  const runs = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < repeat; round += 1) {
    for (let at = 0; at < names.length; at += 1) {
      const name = names[(at + round) % names.length];
      await before(name);
      const command = commands[name];
      runs[name].push(await (typeof command === 'function' ? command() : measure(command)));
    }
  }
  const medians = (list) => Object.fromEntries(Object.keys(list[0]).map((figure) => [figure, median(list, figure)]));
  return Object.fromEntries(names.map((name) => [name, medians(runs[name])]));
}

function median(list, figure) {
  const sorted = list.map((run) => run[figure]).sort((a, b) => a - b);
  return sorted.length % 2 === 1
    ? sorted[sorted.length >> 1]
    : (sorted[sorted.length / 2 - 1] + sorted[sorted.length / 2]) / 2;
}

/** Starts a server that prints its URL as JSON and ends when its stdin closes. Runs `work` meanwhile. */
export async function whileServed([command, ...args], work, options = {}) {
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], ...options });
  const ended = new Promise((resolve) => server.on('close', resolve));
  try {
    const url = await new Promise((resolve, reject) => {
      server.on('error', reject);
      server.on('close', (code) => reject(new Error(`${command} ${args.join(' ')} ended with ${code}`)));
      createInterface({ input: server.stdout }).on('line', (line) => {
        if (line.startsWith('{')) resolve(JSON.parse(line).url);
      });
    });
    return await work(url);
  } finally {
    server.stdin.end();
    await ended;
  }
}
