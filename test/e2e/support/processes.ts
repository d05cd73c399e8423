import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';

/** Something that a test file starts and must end. */
export interface Running {
  stop(): Promise<void>;
}

/** Ends these things after the last test of a file, in reverse order, also if tests fail. */
export function endings(): <T extends Running>(running: T) => T {
  const all: Running[] = [];
  afterAll(async () => {
    for (const running of all.reverse()) await running.stop();
  });
  return (running) => {
    all.push(running);
    return running;
  };
}

export interface StartOptions {
  cwd: string;
  env: Record<string, string>;
  /** Time limit for the message that it is ready, in ms. */
  timeout?: number;
}

/** A process in its own group. Its standard input is a pipe, which closes when this process ends, in any way. */
export class Background implements Running {
  /** The end of its output, for the message of a failed test. */
  log = '';
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown>;

  constructor(
    private readonly command: string,
    args: string[],
    { cwd, env }: StartOptions,
  ) {
    this.child = spawn(command, args, { cwd, env, stdio: 'pipe', detached: true });
    this.closed = once(this.child, 'close');
    this.child.stdin?.on('error', () => {}); // the process may have ended already
  }

  /** Resolves with the first result of `find` that is not empty, called with each line. */
  async ready<T>(find: (line: string) => T | undefined, timeout = 120_000): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const fail = (what: string) => reject(new Error(`${this.command} ${what}\n${this.log}`));
      const timer = setTimeout(() => fail('was not ready in time'), timeout);
      this.child.on('error', (error) => fail(`could not be started: ${error.message}`));
      this.child.on('close', (code) => fail(`ended with ${code}`));
      for (const stream of [this.child.stdout, this.child.stderr]) {
        let rest = '';
        stream?.setEncoding('utf8').on('data', (chunk: string) => {
          this.log = (this.log + chunk).slice(-20_000);
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) {
            const found = find(line);
            if (found === undefined) continue;
            clearTimeout(timer);
            resolve(found);
          }
        });
      }
    });
  }

  get pid(): number {
    return this.child.pid as number;
  }

  /**
   * Closes its standard input and signals it. Kills its whole group if it does not end within the grace period (ms).
   */
  async stop(signal: NodeJS.Signals = 'SIGTERM', grace = 10_000): Promise<void> {
    this.child.stdin?.end();
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    await Promise.race([this.closed, sleep(grace, undefined, { ref: false })]);
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // the whole group has ended
    }
    await this.closed;
  }
}

export interface RunningProcess {
  pid: number;
  command: string;
}

/** The text of a file in /proc; empty if the process has ended or belongs to another user. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}

/** All processes that have not ended. Needs /proc. */
function allProcesses(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: readProc(`${name}/cmdline`).replaceAll('\0', ' ').trim() }))
    .filter(({ command }) => command !== ''); // a zombie
}

/** The processes that have this variable in their environment. */
export function processesWith(variable: string): RunningProcess[] {
  return allProcesses().filter(({ pid }) => readProc(`${pid}/environ`).split('\0').includes(variable));
}

/** The processes whose command line contains this text. */
export function processesNaming(text: string): RunningProcess[] {
  return allProcesses().filter(({ command }) => command.includes(text));
}

/** Kills every process that has this variable in its environment. */
export function killWith(variable: string): void {
  killAll(processesWith(variable));
}

/** Kills processes. Some of them may have ended. */
export function killAll(processes: RunningProcess[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // the process ended meanwhile
    }
  }
}

/** Calls a function until its result is as expected. Returns the last result, even if the time (ms) is over. */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  wanted: (answer: T) => boolean,
  time = 10_000,
): Promise<T> {
  const deadline = Date.now() + time;
  for (;;) {
    const answer = await ask();
    if (wanted(answer) || Date.now() > deadline) return answer;
    await sleep(50);
  }
}
