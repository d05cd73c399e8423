import { join } from 'node:path';
import { Background, eventually, type Running } from './processes.js';
import { python, REPOSITORY, toolchainEnv } from './toolchain.js';

/** An OpenEnv server in its own process. */
export interface Server extends Running {
  url: string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface Stats {
  resets: number;
  sessions_opened: number;
  sessions_open: number;
}

export interface Gridsim extends Server {
  stats(): Promise<Stats>;
  /** Number of open sessions, after the server had time to detect disconnected clients. */
  leftOpen(): Promise<number>;
}

/** Serves fixtures/gridsim; the flags are those of its `server` script. */
export async function gridsim(...flags: string[]): Promise<Gridsim> {
  const args = ['-m', 'server.app', '--port', '0', '--until-stdin-closes', ...flags];
  const server = await serve<Server>(await python('gym'), args, join(REPOSITORY, 'fixtures/gridsim'));
  const stats = async () => (await (await fetch(`${server.url}/stats`)).json()) as Stats;
  const open = async () => (await stats()).sessions_open;
  return Object.assign(server, { stats, leftOpen: () => eventually(open, (count) => count === 0) });
}

export interface AgentEnv extends Server {
  /** A copy of its folder whose envs point to these processes, and the variables that are needed to serve the copy. */
  bundle: string;
  env: Record<string, string>;
  /** The processes of the bundle's environments, by name. */
  servers: Record<string, { pid: number; port: number }>;
}

/** Serves a bundle of fixtures/agentenv/bundles with AgentEnv's own OpenEnv server. */
export async function agentEnv(bundle: string, ...flags: string[]): Promise<AgentEnv> {
  const folder = join(REPOSITORY, 'fixtures/agentenv');
  return serve<AgentEnv>(await python('agentenv'), ['serve.py', bundle, ...flags], folder);
}

export interface Faulty extends Server {
  /** Changes settings of `/control` or `/control/chaos` (see bench/server/README.md), and returns all settings. */
  control(settings?: object, path?: '/control' | '/control/chaos'): Promise<Record<string, unknown>>;
  /** Kills it, and starts another server at the same address. */
  killAndReplace(): Promise<void>;
}

/** Serves bench/server's environment, whose tasks misbehave on purpose. */
export async function faulty(): Promise<Faulty> {
  const command = await python('gym');
  const start = (port: string) =>
    serve<Server>(
      command,
      ['faulty_server.py', '--until-stdin-closes', '--port', port],
      join(REPOSITORY, 'bench/server'),
    );
  let server = await start('0');
  const { url } = server;
  return {
    url,
    stop: () => server.stop(),
    async control(settings, path = '/control') {
      const body = settings && { method: 'POST', body: JSON.stringify(settings) };
      const answer = await fetch(url + path, { headers: { 'content-type': 'application/json' }, ...body });
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
      return (await answer.json()) as Record<string, unknown>;
    },
    async killAndReplace() {
      await server.stop('SIGKILL');
      server = await start(new URL(url).port);
    },
  };
}

/** Differences in how an app is served. */
export interface ProjectOptions {
  /** A Python that has the app's packages (default: that of the venv `gym`). */
  command?: string;
  /** Variables that it needs. */
  env?: Record<string, string>;
}

/**
 * Serves the app of a folder, as gymgen serves that of an OpenEnv project.
 * @param app `MODULE:ATTRIBUTE`
 */
export async function project(folder: string, app = 'server.app:app', options: ProjectOptions = {}): Promise<Server> {
  const { command = await python('gym'), env = {} } = options;
  return serve(command, [join(REPOSITORY, 'templates/serve_project.py'), app], folder, env);
}

/** Serves the counter of test/runtime: an environment with one action, which lists no tasks. */
export async function counter(): Promise<Server> {
  return project(join(REPOSITORY, 'test/runtime'), 'step_env:app');
}

/**
 * Starts a server that prints a line of JSON with its `url` when it is ready. The result has the other keys of the
 * line, too.
 */
async function serve<T extends Server>(
  command: string,
  args: string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<T> {
  const server = new Background(command, args, { cwd, env: { ...toolchainEnv(), ...env } });
  try {
    const ready = await server.ready(readyIn<T>);
    return { ...ready, stop: (signal?: NodeJS.Signals) => server.stop(signal) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function readyIn<T extends Server>(line: string): T | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const ready = JSON.parse(line);
    return ready.url === undefined ? undefined : ready;
  } catch {
    return undefined;
  }
}
