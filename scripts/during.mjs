// Shows what a script is doing. gymgen and its packages may not be installed yet.

import { spawn } from 'node:child_process';

const TICK = { terminal: 1000, log: 10_000 };

/** Runs a program and shows `what` and the time instead of its output. Throws with the output if the program fails. */
export async function during(what, command, args, options) {
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const isTerminal = process.stderr.isTTY && process.env.TERM !== 'dumb';
  const show = (text) => process.stderr.write(isTerminal ? `\r\x1b[K${text}\r` : `${text}\n`);
  const interrupted = () => {
    if (isTerminal) show('');
    process.exit(130);
  };
  show(what);
  const timer = setInterval(() => show(`${what}, ${seconds()} s`), isTerminal ? TICK.terminal : TICK.log);
  process.once('SIGINT', interrupted);
  try {
    await quietly(command, args, options);
    show(`${what}: done in ${seconds()} s`);
    if (isTerminal) process.stderr.write('\n');
  } catch (error) {
    if (isTerminal) show('');
    throw error;
  } finally {
    clearInterval(timer);
    process.removeListener('SIGINT', interrupted);
  }
}

function quietly(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk));
    const fail = (why) => reject(new Error(`${[command, ...args].join(' ')} failed${why}`));
    child.on('error', (error) => fail(`: ${error.message}`));
    child.on('close', (code) => (code === 0 ? resolve() : fail(`:\n${Buffer.concat(printed).toString().trim()}`)));
  });
}
