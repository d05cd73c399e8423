import { discover, fingerprint } from '../discover/index.js';
import { UserError } from '../errors.js';
import { isRecord } from '../json/guards.js';
import { OPTIONS } from '../options/index.js';
import type { OnProgress } from '../reporter.js';
import {
  type AgentFacts,
  findingOf,
  type Instance,
  LIVE_UNREACHABLE,
  type LiveSplit,
  type LiveTasks,
  quote,
  type RowContext,
  type RuleFinding,
} from '../rules/index.js';

export interface LiveRequest {
  headers: Record<string, string>;
  signal: AbortSignal;
  progress: OnProgress;
  /** Called for each config that has no URL. */
  notJudged: (reason: string) => void;
  /** Called for each server that cannot be queried. */
  unreachable: (finding: RuleFinding) => void;
}

/** Adds to each agent what its OpenEnv server serves now. Each server is queried once. */
export async function withLiveTasks(
  context: RowContext,
  instances: readonly Instance[],
  request: LiveRequest,
): Promise<RowContext> {
  if (context.agents === undefined) return context;
  const asked = new Map<string, Promise<LiveTasks | undefined>>();
  const agents = new Map<string, AgentFacts>();
  for (const [name, agent] of context.agents) {
    const server = instances.find((one) => one.name === agent.server && one.type === 'resources_servers');
    agents.set(name, server === undefined ? agent : await withLive(agent, server, asked, request));
  }
  return { ...context, agents };
}

async function withLive(
  agent: AgentFacts,
  { name, settings: { url, tool_names: renamed } }: Instance,
  asked: Map<string, Promise<LiveTasks | undefined>>,
  request: LiveRequest,
): Promise<AgentFacts> {
  if (typeof url !== 'string' || url.includes('${')) {
    request.notJudged(`instance ${name}: --live needs a url in its config`);
    return agent;
  }
  const asking = asked.get(url) ?? liveTasks(url, request);
  asked.set(url, asking);
  const found = await asking;
  if (found === undefined) return agent;
  const tools = new Set(found.tools);
  for (const [own, old] of Object.entries(isRecord(renamed) ? renamed : {})) if (tools.has(String(old))) tools.add(own);
  return { ...agent, live: { ...found, tools } };
}

/** What a server serves; undefined if the server cannot be queried. */
async function liveTasks(
  url: string,
  { headers, signal, progress, unreachable }: LiveRequest,
): Promise<LiveTasks | undefined> {
  const options = {
    ...{ headers, splits: [], limit: Number.POSITIVE_INFINITY, turns: 'all' as const, signal },
    probes: OPTIONS.probes.default,
    maxSessions: OPTIONS.maxSessions.default,
    resetTimeout: OPTIONS.resetTimeout.default,
    toolTimeout: OPTIONS.toolTimeout.default,
  };
  try {
    const found = await discover(url, options, { warn: () => {}, progress });
    try {
      const splits = new Map<string, LiveSplit>();
      for (const split of found.splits) {
        const ids = new TaskIds();
        for await (const tasks of found.tasks(split)) for (const task of tasks) ids.add(task.index, task.id);
        splits.set(split.name, ids);
      }
      const { toolsets } = await found.finish();
      return { splits, tools: new Set(toolsets.flatMap(({ turns }) => turns.flat().map((tool) => tool.name))) };
    } finally {
      await found.close();
    }
  } catch (error) {
    if (!(error instanceof UserError) || signal.aborted) throw error;
    const problem = `cannot be queried: ${error.message}`;
    const fix = error.fix ?? 'start the server';
    unreachable(findingOf(LIVE_UNREACHABLE, { at: { file: '' }, subject: `server ${quote(url)}`, problem, fix }));
    return undefined;
  }
}

/** The ids of a split's tasks, as 8 bytes each. */
class TaskIds implements LiveSplit {
  count = 0;
  private hashes = new Uint32Array(2048);

  add(index: number, id: string): void {
    if (2 * index + 1 >= this.hashes.length) {
      const more = new Uint32Array(4 * index + 2048);
      more.set(this.hashes);
      this.hashes = more;
    }
    this.hashes.set(fingerprint(lastSegment(id)), 2 * index);
    this.count = Math.max(this.count, index + 1);
  }

  isTask(index: number, id: string): boolean {
    const [high, low] = fingerprint(lastSegment(id));
    return this.hashes[2 * index] === high && this.hashes[2 * index + 1] === low;
  }
}

/** The part of an id that does not depend on the serving machine. */
function lastSegment(id: string): string {
  return id.split('/').at(-1) as string;
}
