import { join } from 'node:path';
import { Background, eventually, type Running } from './processes.js';
import { python, REPOSITORY, toolchainEnv } from './toolchain.js';

/** An OpenEnv server in a process of its own. */
export interface Server extends Running {
  url: string;
}

export interface Stats {
  resets: number;
  sessions_opened: number;
  sessions_open: number;
}

export interface Gridsim extends Server {
  stats(): Promise<Stats>;
  /** Sessions that are still open once the server had time to notice that a client left. */
  leftOpen(): Promise<number>;
}

/** Serves fixtures/gridsim; the flags are those of its `server` script. */
export async function gridsim(...flags: string[]): Promise<Gridsim> {
  const args = ['-m', 'server.app', '--port', '0', '--until-stdin-closes', ...flags];
  const server = await serve(await python('gym'), args, join(REPOSITORY, 'fixtures/gridsim'));
  const stats = async () => (await (await fetch(`${server.url}/stats`)).json()) as Stats;
  const open = async () => (await stats()).sessions_open;
  return Object.assign(server, { stats, leftOpen: () => eventually(open, (count) => count === 0) });
}

/** Serves a bundle of fixtures/agentenv/bundles with AgentEnv's own OpenEnv server. */
export async function agentEnv(bundle: string, ...flags: string[]): Promise<Server> {
  const folder = join(REPOSITORY, 'fixtures/agentenv');
  return serve(await python('agentenv'), ['serve.py', bundle, ...flags], folder);
}

/** Starts a server that prints a line of JSON with its `url` once it answers. */
async function serve(command: string, args: string[], cwd: string): Promise<Server> {
  const server = new Background(command, args, { cwd, env: toolchainEnv() });
  try {
    const url = await server.ready(urlIn);
    return { url, stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function urlIn(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line).url;
  } catch {
    return undefined;
  }
}
