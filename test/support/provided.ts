import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DiscoverOptions } from '../../src/discover/index.js';
import { discoverAll, type Found, Said } from './discovered.js';
import { type Message, observation } from './served-session.js';
import { type Answer, type Asked, StandIn, type StandInOptions } from './stand-in.js';

const COUNT = {
  type: 'object',
  properties: { by: { type: 'integer', minimum: 1 }, metadata: { type: 'object' } },
  required: ['by'],
};

export interface ServerWithoutTasks extends StandInOptions {
  /** The action of GET /schema; null for an environment with tools. */
  action?: object;
  /** The response to POST /mcp. */
  mcp?: object;
  /** The observation of a reset, from its arguments. */
  shows?: (args: Record<string, unknown>, session: number) => object;
  /** The observation of a step. */
  steps?: (action: Message['data'], session: number) => object;
}

/** A server that lists no tasks. Its environment has one action, unless `action` is null. */
export async function serverWithoutTasks({
  action = COUNT,
  mcp,
  shows,
  steps,
  ...options
}: ServerWithoutTasks = {}): Promise<StandIn> {
  const http = ({ method, path }: Asked) => {
    const own = options.http?.({ method, path, headers: {}, body: undefined }, undefined as never);
    if (own !== undefined) return own as Answer;
    if (path === '/schema') return action === null ? { status: 404 } : { body: { action, observation: {}, state: {} } };
    if (path === '/mcp') return { body: mcp ?? { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'no MCP' } } };
    if (/\/(?:splits|num_tasks|task_range)$/.test(path)) return { status: 501, body: { detail: 'not supported' } };
    return undefined;
  };
  return StandIn.start({
    ...options,
    http,
    ws: (message, session) => {
      if (message.type === 'reset')
        return shows?.(message.data as never, session.number) ?? observation({ board: 'x' });
      const scripted = options.ws?.(message, session);
      if (scripted !== undefined || action === null) return scripted;
      return steps?.(message.data, session.number) ?? observation({ board: 'y' }, { reward: 1, done: true });
    },
  });
}

/** Discovers a server with provided tasks, completely. */
export async function discoverProvided(
  server: StandIn,
  changes: Partial<DiscoverOptions>,
): Promise<Found & { said: Said }> {
  const said = new Said();
  return { ...(await discoverAll(server.url, changes, said)), said };
}

/** Writes a file, and returns its path. */
export function fileOf(name: string, text: string | Buffer): string {
  const file = join(mkdtempSync(join(tmpdir(), 'gymgen-tasks-')), name);
  writeFileSync(file, text);
  return file;
}

export const jsonl = (...tasks: object[]) =>
  fileOf('tasks.jsonl', tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
