import { FingerprintSet, fingerprint } from '../discover/index.js';
import { openNoFollow } from '../files.js';
import { isRecord } from '../json/guards.js';
import {
  ALL_ROW_RULES,
  agentOf,
  findingOf,
  hasNoTools,
  NO_TOOLS,
  type ParsedLine,
  type Problem,
  parseRow,
  ROW_TWICE,
  type RowContext,
  type RowFacts,
  TOOLS_MISSING,
  TRAINING,
} from '../rules/index.js';
import type { Collector } from './collector.js';
import { rowLines } from './row-lines.js';

export interface RowsRequest {
  /** Path of the file. */
  path: string;
  /** Name of the file in findings. */
  file: string;
  context: RowContext;
  signal: AbortSignal;
  /** Called now and then with the number of lines so far. */
  progress: (rows: number) => void;
}

const PROGRESS_ROWS = 5000;

/**
 * Judges a file of rows, which is streamed.
 * @returns the number of lines; undefined if the path is not a regular file
 */
export async function judgeRows(request: RowsRequest, found: Collector): Promise<number | undefined> {
  const file = await openNoFollow(request.path);
  if (file === undefined) return undefined;
  const judged = new RowsJudge(request, found);
  try {
    for await (const lines of rowLines(file)) {
      request.signal.throwIfAborted();
      for (const line of lines) judged.add(parseRow(line, judged.rows === 0));
    }
  } finally {
    await file.close();
  }
  judged.end();
  return judged.rows;
}

/** Judges the rows of one file, one after another. */
class RowsJudge {
  rows = 0;
  /** Fingerprints of the rows, to find equal ones. */
  private readonly seen: FingerprintSet | undefined;
  /** Agents with a row that has tools. */
  private readonly withTools = new Set<string>();
  /** By agent: its first rows without tools, and how many there are. */
  private readonly withoutTools = new Map<string, number[]>();

  constructor(
    private readonly request: RowsRequest,
    private readonly found: Collector,
  ) {
    if (request.context.isDataset && request.file.endsWith(TRAINING)) this.seen = new FingerprintSet();
  }

  add({ text, value, fault }: ParsedLine): void {
    const { file, context, progress } = this.request;
    this.rows += 1;
    if (this.rows % PROGRESS_ROWS === 0) progress(this.rows);
    const facts: RowFacts = { file, row: this.rows, value, fault, context };
    for (const rule of ALL_ROW_RULES) {
      for (const problem of rule.judge(facts)) this.found.add([findingOf(rule, problem)]);
    }
    if (!isRecord(value)) return;
    if (this.seen?.add(fingerprint(text)) === false) this.foundTwice();
    if (context.isDataset) this.countTools(facts, value);
  }

  /** Reports problems that only the whole file shows. */
  end(): void {
    for (const [agent, rows] of this.withoutTools) {
      if (!this.withTools.has(agent)) continue;
      for (const row of rows) this.found.add([findingOf(TOOLS_MISSING, this.at(row, NO_TOOLS))]);
    }
  }

  private foundTwice(): void {
    const fix = 'remove it, or give each row its own task';
    const found = { subject: 'row', problem: 'is equal to an earlier one', fix };
    this.found.add([findingOf(ROW_TWICE, this.at(this.rows, found))]);
  }

  private countTools(facts: RowFacts, { agent_ref: agent, responses_create_params: params }: Record<string, unknown>) {
    if (!isRecord(agent) || typeof agent.name !== 'string' || !isRecord(params)) return;
    const known = agentOf(facts);
    if (known?.alwaysTools || (facts.context.agents !== undefined && known === undefined)) return;
    if (!hasNoTools(params.tools)) {
      if (this.withTools.size < MOST_AGENTS) this.withTools.add(agent.name);
      return;
    }
    const rows = this.withoutTools.get(agent.name) ?? [];
    if (rows.length < MOST_ROWS) rows.push(this.rows);
    if (this.withoutTools.size < MOST_AGENTS) this.withoutTools.set(agent.name, rows);
  }

  private at(row: number, problem: Omit<Problem, 'at'>): Problem {
    return { at: { file: this.request.file, line: row, row }, ...problem };
  }
}

/** Upper bounds on the agents and rows without tools that are remembered. */
const MOST_AGENTS = 1000;
const MOST_ROWS = 10;
