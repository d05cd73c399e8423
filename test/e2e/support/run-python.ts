import { join } from 'node:path';
import { execa } from 'execa';
import type { Move } from '../../../src/play/index.js';
import { python, REPOSITORY, toolchainEnv } from './toolchain.js';

const OPTIONS = { all: true, reject: false } as const;
const script = (name: string) => join(REPOSITORY, 'test/e2e/support', name);

/** Runs a Python of the toolchain. Returns the output of both streams, or throws it if the program fails. */
export async function runPython(args: string[], options: { cwd?: string; input?: string } = {}): Promise<string> {
  return run(args, options, false);
}

async function run(args: string[], { cwd = REPOSITORY, input = '' }: { cwd?: string; input?: string }, json: boolean) {
  const result = await execa(await python('gym'), args, { ...OPTIONS, cwd, input, env: toolchainEnv() });
  if (result.exitCode === 0) return json ? result.stdout : result.all;
  throw new Error(`python ${args.join(' ')}\nended with ${result.exitCode}:\n${result.all.slice(-20_000)}`);
}

export interface Episode {
  split: string;
  index: number;
  moves: Move[];
}

export interface Played {
  reward: number | null;
  status: string | null;
  /** The tools of each turn, as the server lists them. */
  tools: { name: string; description: string | null; input_schema: unknown }[][];
}

/** Plays episodes with the `openenv` client. */
export async function playDirectly(url: string, episodes: Episode[]): Promise<Played[]> {
  return JSON.parse(await run([script('direct_play.py')], { input: JSON.stringify({ url, episodes }) }, true));
}

/** Plays a row with one tool call, on a resources server that offers its tools over MCP. */
export async function playOverMcp(
  url: string,
  row: Row,
  tool: string,
  args: object,
): Promise<{ tools: string[]; text: string; reward: number }> {
  const input = JSON.stringify({ url, row, tool, arguments: args });
  return JSON.parse(await run([script('mcp_play.py')], { input }, true));
}

/** Episodes of a server that lists no tasks. */
export interface GivenEpisodes {
  url: string;
  /** The kind of their steps: tool calls, or actions. */
  interface: 'tools' | 'action';
  episodes: { reset: object; moves: Move[] }[];
}

/** Plays episodes with the `openenv` client. Returns the reward of each step. */
export async function playGiven(given: GivenEpisodes): Promise<(number | null)[][]> {
  return JSON.parse(await run([script('direct_steps.py')], { input: JSON.stringify(given) }, true));
}

/** A row of a provided task. */
export interface GivenRow extends Omit<Row, 'split' | 'index'> {
  reset: Record<string, unknown>;
}

/** A row as it is written. */
export interface Row {
  responses_create_params: {
    input: { role: string; content: string }[];
    tools: { type: 'function'; name: string; description: string; parameters: unknown; strict: boolean }[];
  };
  agent_ref: { type: string; name: string };
  split: string;
  index: number;
  task_id: string;
}

/**
 * A written server as NeMo Gym's own models and parser read it: the number of rows of each file, and the blocks of its
 * config.
 */
export interface ReadAsGym {
  rows: Record<string, number>;
  // biome-ignore lint/suspicious/noExplicitAny: the tests know the content of the config
  config: Record<string, any>;
}

export async function readAsGym(gymRoot: string, name: string): Promise<ReadAsGym> {
  return (await readAllAsGym(gymRoot, [name]))[name] as ReadAsGym;
}

/** Returns them by the server's name. Throws if NeMo Gym would refuse one of them. */
export async function readAllAsGym(gymRoot: string, names: string[]): Promise<Record<string, ReadAsGym>> {
  return JSON.parse(await run([script('read_as_gym.py'), gymRoot, ...names], {}, true));
}

/** Checks a folder's Python with ruff's default rules. */
export async function checkPython(folder: string): Promise<void> {
  for (const command of [['check'], ['format', '--check', '--line-length', '120']]) {
    await runPython(['-m', 'ruff', ...command, '--isolated', '--no-cache', folder]);
  }
}
