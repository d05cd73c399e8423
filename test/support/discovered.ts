import {
  type DiscoverOptions,
  type Discovery,
  type DiscoverySummary,
  discover,
  type Task,
} from '../../src/discover/index.js';
import type { Progress, Reporter, SentRequest } from '../../src/reporter.js';

export interface Found {
  envName: string;
  splits: string[];
  tasks: Task[];
  /** The tools of each toolset, by turn: `agent:solver: submit_schedule end_turn | end_turn`. */
  toolsets: string[];
  warnings: string[];
  discovery: Discovery;
  summary: DiscoverySummary;
}

export class Said implements Reporter {
  readonly notes: string[] = [];
  readonly warnings: string[] = [];
  readonly progressed: Progress[] = [];
  readonly requests: SentRequest[] = [];
  note(text: string): void {
    this.notes.push(text);
  }
  warn(text: string): void {
    this.warnings.push(text);
  }
  progress(progress: Progress): void {
    this.progressed.push(progress);
  }
  request(request: SentRequest): void {
    this.requests.push(request);
  }
}

export function discoverOptions(changes: Partial<DiscoverOptions> = {}): DiscoverOptions {
  return {
    headers: {},
    splits: [],
    limit: Number.POSITIVE_INFINITY,
    probes: 32,
    maxSessions: 8,
    toolTimeout: 5,
    resetTimeout: 5,
    turns: 'all',
    signal: new AbortController().signal,
    ...changes,
  };
}

/** Discovers a server completely, as a run does. */
export async function discoverAll(
  url: string,
  changes: Partial<DiscoverOptions> = {},
  said = new Said(),
): Promise<Found> {
  const discovery = await discover(url, discoverOptions(changes), said);
  try {
    const tasks: Task[] = [];
    for (const split of discovery.splits) for await (const page of discovery.tasks(split)) tasks.push(...page);
    const { envName, splits } = discovery;
    const summary = await discovery.finish();
    return {
      envName,
      splits: splits.map(({ name, count }) => `${name}: ${count}`),
      tasks,
      toolsets: summary.toolsets.map(({ key, turns }) => `${key}: ${turns.map(names).join(' | ')}`),
      warnings: said.warnings,
      discovery,
      summary,
    };
  } finally {
    await discovery.close();
  }
}

function names(turn: { name: string }[]): string {
  return turn.map(({ name }) => name).join(' ');
}
