import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { UserError } from '../errors.js';
import { holdExit } from '../shutdown.js';
import { bytecodeFolder } from './cache.js';
import { killGroup } from './run-program.js';
import type { SourceReporter } from './types.js';

/** A server that gymgen started, which ends with it. */
export interface Served {
  url: string;
  /** Headers that each request to it needs: its token, if it has one. */
  headers: Record<string, string>;
  /** All of what it said with its URL. */
  said: Record<string, unknown>;
  /** Rejects when the server ends by itself. */
  ended: Promise<never>;
  close(): Promise<void>;
}

export interface ServeOptions {
  cwd: string;
  /** What is served, for messages. */
  what: string;
  reporter?: SourceReporter;
  signal: AbortSignal;
  /**
   * Whether the server takes `--token-on-stdin`, and answers only requests with that token. It goes over standard input:
   * others can read a command line, and the server's own children its environment.
   */
  token?: boolean;
  /** How long it has to end by itself, and then by SIGTERM. */
  stopSeconds?: number;
  /** The error for a server that says `{"refused": why}`. */
  refused?: (why: string) => UserError;
}

/** Serves the app of an OpenEnv project: `MODULE:ATTRIBUTE [--port=N]`. */
export const PROJECT_PROGRAM = fileURLToPath(new URL('../../templates/serve_project.py', import.meta.url));

/** As in bundle_child/loopback.py. */
const TOKEN_HEADER = 'X-Gymgen-Token';
const TOKEN_FLAG = '--token-on-stdin';
const TOKEN_BYTES = 32;
const LOG_LINES = 20;
/** For what a server said before it ended: a process that outlives it may hold its output open. */
const LAST_OUTPUT_MS = 500;
const STOP_SECONDS = 5;

/**
 * Starts a server that says on its standard output what it does, a JSON object a line: `progress`, `warning` or `refused`,
 * and in the end its `url`. It ends when its standard input closes: so it ends with gymgen however that ends.
 * @throws UserError with the end of its log, or with its refusal, where it ends before it has a URL
 */
export async function serve(command: string, args: string[], options: ServeOptions): Promise<Served> {
  const { what, reporter, signal, stopSeconds = STOP_SECONDS } = options;
  // Bytecode is not for the folder that is served; without it, each start would compile all that it imports again, also
  // where images of Python turn it off to stay small.
  const bytecode = process.env.PYTHONPYCACHEPREFIX ?? (await bytecodeFolder());
  signal.throwIfAborted();
  const token = options.token ? randomBytes(TOKEN_BYTES).toString('hex') : null;
  const child = execa(command, token === null ? args : [...args, TOKEN_FLAG], {
    cwd: options.cwd,
    env: {
      ...(bytecode ? { PYTHONDONTWRITEBYTECODE: '', PYTHONPYCACHEPREFIX: bytecode } : { PYTHONDONTWRITEBYTECODE: '1' }),
      PYTHONUNBUFFERED: '1',
    },
    stdin: 'pipe',
    buffer: false,
    reject: false,
    // A Ctrl-C of the terminal reaches gymgen, which then ends the server in order.
    detached: true,
  });
  const release = holdExit(`the server of ${what} to end`);
  child.finally(release);
  child.once('exit', () => {
    setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, LAST_OUTPUT_MS).unref();
  });
  const log: string[] = [];
  const keep = (line: string) => {
    log.push(line);
    if (log.length > LOG_LINES) log.shift();
  };
  createInterface({ input: child.stderr }).on('line', keep);
  child.stdin.on('error', () => {}); // it may have ended already
  if (token !== null) child.stdin.write(`${token}\n`);

  const close = async () => {
    child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await Promise.race([child.then(() => true), sleep(stopSeconds * 1000, false, { ref: false })])) return;
      killGroup(child.pid, signal);
    }
    await child;
  };

  const ready = new Promise<Record<string, unknown>>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = objectIn(line);
      if (said?.url) resolve(said);
      else if (said?.progress) reporter?.progress(String(said.progress));
      else if (said?.warning) reporter?.warn(String(said.warning));
      else if (said?.refused && options.refused) reject(options.refused(String(said.refused)));
      else keep(line);
    });
  });
  ready.catch(() => {}); // told where it is awaited, as is the next
  const ended = child.then((result): never => {
    throw new UserError(`${what} could not be served: ${result.shortMessage ?? 'it ended at once'}`, {
      details: log,
      cause: result,
    });
  });
  ended.catch(() => {});
  const { aborted, release: stopWaiting } = abortion(signal);
  try {
    const said = await Promise.race([ready, ended, aborted]);
    const headers: Served['headers'] = token === null ? {} : { [TOKEN_HEADER]: token };
    return { url: String(said.url), headers, said, ended, close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    stopWaiting();
  }
}

/** Rejects with the signal's reason, until it is released. */
function abortion(signal: AbortSignal): { aborted: Promise<never>; release: () => void } {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  return { aborted, release: () => signal.removeEventListener('abort', abort) };
}

function objectIn(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
