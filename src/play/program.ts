import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.js';

/** Characters of a line that are kept: a program may print any amount without a line break. */
const LINE = 16 * 1024;

/** Time to read the last output of a program that ended: one of its children may keep the output open. */
const LAST_OUTPUT_MS = 500;

export interface ProgramOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Called with each line of standard output and standard error. */
  line?: (text: string) => void;
}

/** A program of NeMo Gym that runs in a process group of its own: Ctrl-C in a terminal must reach only gymgen. */
export class Program {
  private readonly child: ChildProcess;
  /** Resolves when the program has ended, and its output has been read. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  constructor(command: string, args: readonly string[], { cwd, env, log, line }: ProgramOptions) {
    this.child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      let rest = '';
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split(/[\r\n]+/); // progress bars end their lines with a carriage return
        rest = (lines.pop() ?? '').slice(-LINE);
        for (const text of lines) {
          log.add(text.slice(0, LINE));
          line?.(text.slice(0, LINE));
        }
      });
    }
    this.ended = this.end();
    this.ended.catch(() => {}); // reported when awaited
  }

  private async end() {
    const closed = once(this.child, 'close').catch(() => {});
    const [code, signal] = await once(this.child, 'exit'); // rejects if the program cannot be started
    await Promise.race([closed, sleep(LAST_OUTPUT_MS, undefined, { ref: false })]);
    return { code, signal };
  }

  /**
   * Ends the program, and its whole process group if it takes longer than `grace`.
   * @param grace in milliseconds
   */
  async stop(signal: NodeJS.Signals, grace: number): Promise<void> {
    this.child.kill(signal);
    await Promise.race([this.ended.catch(() => {}), sleep(grace, undefined, { ref: false })]);
    try {
      if (this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGKILL');
    } catch {
      // the group has ended
    }
    await this.ended.catch(() => {});
  }
}
