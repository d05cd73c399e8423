import { readRows, rowLength, tokensOf } from '../written/index.js';

/** Rows that are named. */
const NAMED = 10;

/** A row and its place. */
export interface NamedRow {
  /** Line number in the file, from 1. */
  line: number;
  /** The row's `task_id`: text of the environment. */
  task?: string;
}

/** A row and its estimated length at 4 characters per token. */
export interface LongRow extends NamedRow {
  tokens: number;
}

/** A line that a trainer cannot read. */
export interface BadLine {
  line: number;
  problem: string;
}

/** Facts about the rows of one split, for a trainer. */
export interface RowFacts {
  split: string;
  /** Path of the file. */
  path: string;
  /** Number of rows. Lines that are not rows do not count. */
  rows: number;
  /** The 10 longest rows, the longest first. */
  longest: LongRow[];
  /** Number of rows that are longer than the limit, if there is one. */
  over: number;
  /** Lines that are blank or not rows, and rows that do not name the agent: their number, and the first 10. */
  bad: { count: number; first: BadLine[] };
}

export interface RowFactsOptions {
  /** The agent that each row must name. */
  agent: string;
  /** Longest sequence that the trainer accepts, in tokens. */
  limit?: number | undefined;
  signal: AbortSignal;
  /** Why the trainer cannot use a row; undefined if it can. */
  problemOf?: (row: Record<string, unknown>) => string | undefined;
  /** Called for each row, for facts that only one trainer needs. */
  onRow?: (row: Record<string, unknown>, line: number) => void;
}

/**
 * Reads the rows of one split. Memory does not grow with the number of rows.
 * @throws UserError if the file cannot be read, or a line is too long
 */
export async function rowFacts(
  { split, path }: { split: string; path: string },
  { agent, limit = Number.POSITIVE_INFINITY, signal, problemOf, onRow }: RowFactsOptions,
): Promise<RowFacts> {
  const facts: RowFacts = { split, path, rows: 0, longest: [], over: 0, bad: { count: 0, first: [] } };
  for await (const line of readRows(path, { blankLines: true })) {
    signal.throwIfAborted();
    if ('problem' in line) {
      addBad(facts, line.line, line.problem);
      continue;
    }
    facts.rows += 1;
    const name = agentOf(line.row);
    if (name !== agent) addBad(facts, line.line, name === undefined ? 'names no agent' : 'names another agent');
    const problem = problemOf?.(line.row);
    if (problem !== undefined) addBad(facts, line.line, problem);
    const long = { line: line.line, tokens: tokensOf(rowLength(line.row)), ...taskOf(line.row) };
    if (long.tokens > limit) facts.over += 1;
    addLong(facts.longest, long);
    onRow?.(line.row, line.line);
  }
  return facts;
}

function addBad({ bad }: RowFacts, line: number, problem: string): void {
  bad.count += 1;
  if (bad.first.length < NAMED) bad.first.push({ line, problem });
}

/** Keeps the longest rows; of equal ones, the first. */
function addLong(longest: LongRow[], row: LongRow): void {
  const at = longest.findIndex(({ tokens }) => tokens < row.tokens);
  longest.splice(at === -1 ? longest.length : at, 0, row);
  if (longest.length > NAMED) longest.pop();
}

function taskOf({ task_id: task }: Record<string, unknown>): { task?: string } {
  return typeof task === 'string' ? { task } : {};
}

function agentOf({ agent_ref: agent }: Record<string, unknown>): string | undefined {
  const name = typeof agent === 'object' && agent !== null ? (agent as { name?: unknown }).name : undefined;
  return typeof name === 'string' ? name : undefined;
}
