import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { UserError } from '../errors.js';
import type { Reporter } from '../reporter.js';
import { abortion, holdExit } from '../shutdown.js';
import { bytecodeFolder } from './cache.js';
import { killGroup } from './programs.js';

/** A server that gymgen started, and that ends with gymgen. */
export interface LocalServer {
  url: string;
  /** Headers that each request needs: the server's token, if it has one. */
  headers: Record<string, string>;
  /** The JSON object in which the server announced its URL. */
  announcement: Record<string, unknown>;
  /** Rejects when the server ends by itself. */
  ended: Promise<never>;
  close(): Promise<void>;
}

export interface ServeOptions {
  cwd: string;
  /** What is served, in messages: `the bundle hello`. */
  name: string;
  reporter: Reporter;
  signal: AbortSignal;
  /**
   * Whether the server takes `--token-on-stdin`, and rejects requests without that token. Standard input is used because
   * other users can read a command line, and the server's children inherit its environment.
   */
  token?: boolean;
  /** Seconds to wait before SIGTERM, and again before SIGKILL. */
  stopSeconds?: number;
  /** Creates the error for a server that prints `{"refused": reason}`. */
  refused?: (reason: string) => UserError;
}

/** Serves the app of an OpenEnv project: `MODULE:ATTRIBUTE [--port=N]`. */
export const SERVE_PROJECT = fileURLToPath(new URL('../../templates/serve_project.py', import.meta.url));

/** The same as in bundle_child/loopback.py. */
const TOKEN_HEADER = 'X-Gymgen-Token';
const TOKEN_FLAG = '--token-on-stdin';
const TOKEN_BYTES = 32;
const LOG_LINES = 20;
/** Time to read the last output of a server that ended: one of its children may keep the output open. */
const LAST_OUTPUT_MS = 500;
const STOP_SECONDS = 5;

/**
 * Starts a server that prints one JSON object per line: `progress`, `warning` or `refused`, and finally its `url`. The server
 * ends when its standard input closes, so it also ends if gymgen is killed.
 * @throws UserError with the end of the server's log, or with its refusal, if it ends before it announces a URL
 */
export async function serve(command: string, args: string[], options: ServeOptions): Promise<LocalServer> {
  const { name, reporter, signal, stopSeconds = STOP_SECONDS } = options;
  const [{ execa }, env] = await Promise.all([import('execa'), pythonVariables()]);
  signal.throwIfAborted();
  const token = options.token ? randomBytes(TOKEN_BYTES).toString('hex') : null;
  const child = execa(command, token === null ? args : [...args, TOKEN_FLAG], {
    cwd: options.cwd,
    env,
    stdin: 'pipe',
    buffer: false,
    reject: false,
    // Ctrl-C in a terminal must reach only gymgen, which then stops the server in order.
    detached: true,
  });
  const release = holdExit(`the server of ${name} to end`);
  child.finally(release);
  child.once('exit', () => {
    setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, LAST_OUTPUT_MS).unref();
  });
  child.stdin.on('error', () => {}); // the server may have ended already
  if (token !== null) child.stdin.write(`${token}\n`);

  const log: string[] = [];
  const addToLog = (line: string) => {
    log.push(line);
    if (log.length > LOG_LINES) log.shift();
  };
  createInterface({ input: child.stderr }).on('line', addToLog);

  const announced = new Promise<Record<string, unknown>>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = parseObject(line);
      if (message?.url) resolve(message);
      else if (message?.progress) reporter.progress({ phase: 'step', what: String(message.progress) });
      else if (message?.warning) reporter.warn(String(message.warning));
      else if (message?.refused && options.refused) reject(options.refused(String(message.refused)));
      else addToLog(line);
    });
  });
  const ended = child.then((result): never => {
    throw new UserError(`could not serve ${name}: ${result.shortMessage ?? 'the server exited immediately'}`, {
      details: log,
      fix: log.length > 0 ? 'solve the problem in the log lines above' : `check that this program runs: ${command}`,
      cause: result,
    });
  });
  // Code that awaits these promises gets the rejection. Without a handler, Node would also report it as unhandled.
  announced.catch(() => {});
  ended.catch(() => {});

  const close = async () => {
    child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await Promise.race([child.then(() => true), sleep(stopSeconds * 1000, false, { ref: false })])) return;
      killGroup(child.pid, signal);
    }
    await child;
  };

  const { aborted, release: stopListening } = abortion(signal);
  try {
    const announcement = await Promise.race([announced, ended, aborted]);
    const headers: LocalServer['headers'] = token === null ? {} : { [TOKEN_HEADER]: token };
    return { url: String(announcement.url), headers, announcement, ended, close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    stopListening();
  }
}

/**
 * Variables that keep Python's bytecode out of the served folder. Without bytecode, each start would compile every imported
 * module again, so it is enabled even if the environment disables it, as some container images do.
 */
async function pythonVariables(): Promise<Record<string, string>> {
  const bytecode = process.env.PYTHONPYCACHEPREFIX ?? (await bytecodeFolder());
  return {
    ...(bytecode ? { PYTHONDONTWRITEBYTECODE: '', PYTHONPYCACHEPREFIX: bytecode } : { PYTHONDONTWRITEBYTECODE: '1' }),
    PYTHONUNBUFFERED: '1',
  };
}

function parseObject(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
