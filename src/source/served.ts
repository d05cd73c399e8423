import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { UserError } from '../errors.js';

/** A server that gymgen started, which ends with it. */
export interface Served {
  url: string;
  /** Rejects when the server ends by itself. */
  ended: Promise<never>;
  close(): Promise<void>;
}

export interface ServeOptions {
  cwd: string;
  env?: Record<string, string>;
  /** What is served, for messages. */
  what: string;
  signal: AbortSignal;
}

const LOG_LINES = 20;
const STOP_SECONDS = 5;

/**
 * Starts a server that prints one JSON line, `{"url": …}`, once it answers, and that ends when its standard input closes:
 * so it ends with gymgen however that ends.
 * @throws UserError with the end of its log where it ends before that
 */
export async function serve(command: string, args: string[], options: ServeOptions): Promise<Served> {
  const child = execa(command, args, {
    cwd: options.cwd,
    env: { PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1', ...options.env },
    stdin: 'pipe',
    buffer: false,
    reject: false,
    // A Ctrl-C of the terminal reaches gymgen, which then ends the server in order.
    detached: true,
  });
  const log: string[] = [];
  const keep = (line: string) => {
    log.push(line);
    if (log.length > LOG_LINES) log.shift();
  };
  createInterface({ input: child.stderr }).on('line', keep);
  child.stdin.on('error', () => {}); // it may have ended already

  const close = async () => {
    child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await Promise.race([child.then(() => true), sleep(STOP_SECONDS * 1000, false, { ref: false })])) return;
      kill(child.pid, signal);
    }
    await child;
  };

  const ready = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = urlOf(line);
      if (url) resolve(url);
      else keep(line);
    });
  });
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(options.signal.reason);
    if (options.signal.aborted) abort();
    else options.signal.addEventListener('abort', abort, { once: true });
  });
  const ended = child.then((result): never => {
    throw new UserError(`${options.what} could not be served: ${result.shortMessage ?? 'it ended at once'}`, {
      details: log,
      cause: result,
    });
  });
  ended.catch(() => {}); // told where it is awaited
  try {
    return { url: await Promise.race([ready, ended, aborted]), ended, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Signals the server and all that it started. */
function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // it is gone
  }
}

function urlOf(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'url' in value ? String(value.url) : null;
  } catch {
    return null;
  }
}
