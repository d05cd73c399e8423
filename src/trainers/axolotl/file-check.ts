import { isRecord } from '../../json/guards.js';
import { quote } from '../../rules/index.js';
import { readRows } from '../../written/index.js';
import { type RowFacts, rowFacts } from '../row-facts.js';
import { ColumnType } from './column-type.js';
import { firstMessage, hashOf } from './first-message.js';

/** What the loader of axolotl 0.21.0 does to rows of one file. */
export interface DataFinding {
  /** Stable, such as `axolotl-equal-messages`. */
  code: string;
  /** Whether the training stops with an error. Otherwise it goes on with fewer or other rows. */
  isFatal: boolean;
  /** The problem of each of the rows, and its effect. */
  problem: string;
  rows: RowList;
}

/** Rows of a file, by their line numbers from 1. */
interface RowList {
  count: number;
  /** The first lines, at most 10. */
  first: number[];
}

export interface FileCheck {
  facts: RowFacts;
  findings: DataFinding[];
}

export interface CheckOptions {
  /** The agent that each row must name. */
  agent: string;
  /** Longest sequence, in tokens. */
  limit?: number | undefined;
  signal: AbortSignal;
}

/** Lines that a finding names. */
const NAMED = 10;
/** Places that a finding names. */
const PLACES = 3;

const TOOLS = 'responses_create_params.tools[]';
const PARAMS = 'responses_create_params.';

/**
 * Finds the rows of a file that the loader of axolotl 0.21.0 rejects, loses or changes: `load_nemo_gym_datasets`
 * (integrations/nemo_gym/dataset.py) and the lookup of the plugin (plugin.py:257-263). The loader parses each line, stores all
 * rows in one Arrow column, and finds a row again by its first user message.
 * @throws UserError if the file cannot be read or exceeds a limit
 */
export async function checkFile(
  file: { split: string; path: string },
  { agent, limit, signal }: CheckOptions,
): Promise<FileCheck> {
  const column = ColumnType.of(file.path);
  const types = new MixedTypes();
  const messages = new Messages();
  const agents = new Agents(agent);
  const facts = await rowFacts(file, {
    agent,
    limit,
    signal,
    onRow: (row, line) => {
      types.add(column.add(row), line);
      messages.add(row, line);
      agents.add(row, line);
    },
  });
  const added =
    column.hasOptionalKeys && types.rows.all === undefined ? await addedKeys(file.path, column, signal) : [];
  return {
    facts,
    findings: [
      ...unreadableLines(facts, agents),
      ...types.findings(),
      ...messages.findings(),
      ...added,
      ...agents.findings(),
    ],
  };
}

/** The loader calls `json.loads` for every line, and `.get` on what that returns. */
function unreadableLines({ bad }: RowFacts, agents: Agents): DataFinding[] {
  const count = bad.count - agents.count;
  if (count === 0) return [];
  const lines = bad.first.filter(({ problem }) => !problem.startsWith('names ')).map(({ line }) => line);
  const problem = 'blank, or not a row: the loader stops';
  return [{ code: 'axolotl-line', isFatal: true, problem, rows: { count, first: lines } }];
}

class MixedTypes {
  readonly rows = new Rows();
  private readonly places = new Set<string>();

  add(mixed: ReturnType<ColumnType['add']>, line: number): void {
    for (const { path, first, other } of mixed) {
      this.rows.add(line);
      if (this.places.size <= PLACES) this.places.add(`${quote(path)} (${other} beside ${first})`);
    }
  }

  findings(): DataFinding[] {
    const problem = `the loader stops at values of another type than in earlier rows: ${listed(this.places)}`;
    return finding('axolotl-mixed-types', problem, this.rows, true);
  }
}

/** First user messages, by which rows are found again. */
class Messages {
  private readonly seen = new Set<string>();
  private readonly equal = new Rows();
  private readonly texts = new Rows();
  private readonly lists = new Rows();

  add(row: Record<string, unknown>, line: number): void {
    const message = firstMessage(row);
    if (typeof message === 'object' && message !== null) {
      this.lists.add(line);
      return;
    }
    const hash = hashOf(JSON.stringify(message));
    const isText = typeof (row.responses_create_params as { input?: unknown }).input === 'string';
    if (this.seen.has(hash)) (isText ? this.texts : this.equal).add(line);
    this.seen.add(hash);
  }

  findings(): DataFinding[] {
    return [
      ...finding(
        'axolotl-equal-messages',
        'same first user message as an earlier row: only one row of each message is kept',
        this.equal,
      ),
      ...finding(
        'axolotl-text-input',
        'input is a string, as in an earlier row: only one such row is kept',
        this.texts,
      ),
      ...finding('axolotl-list-content', 'first user message is a list of parts: the loader stops', this.lists, true),
    ];
  }
}

/** The rows in which Arrow adds keys with null, outside of what the resources server ignores. */
async function addedKeys(path: string, column: ColumnType, signal: AbortSignal): Promise<DataFinding[]> {
  const tools = new Rows();
  const others = new Rows();
  const places = new Set<string>();
  for await (const line of readRows(path)) {
    signal.throwIfAborted();
    if ('problem' in line) continue;
    for (const place of column.addedTo(line.row)) {
      if (!place.startsWith(PARAMS)) continue;
      if (place.startsWith(TOOLS)) tools.add(line.line);
      else others.add(line.line);
      if (!place.startsWith(TOOLS) && places.size <= PLACES) places.add(quote(place));
    }
  }
  return [
    ...finding('axolotl-tools', 'tools get the keys of other tools, with null: the model sees changed tools', tools),
    ...finding('axolotl-null', `keys of other rows are added with null: ${listed(places)}`, others),
  ];
}

function finding(code: string, problem: string, rows: Rows, isFatal = false): DataFinding[] {
  return rows.all === undefined ? [] : [{ code, isFatal, problem, rows: rows.all }];
}

function listed(places: ReadonlySet<string>): string {
  const named = [...places].slice(0, PLACES);
  return [...named, ...(places.size > PLACES ? ['…'] : [])].join(', ');
}

/** Rows whose agents are not the written one. Axolotl sends a row of an unknown agent to the first one (multi_turn.py:176). */
class Agents {
  private readonly others = new Rows();
  private readonly none = new Rows();
  private isNamed = false;

  constructor(private readonly agent: string) {}

  add({ agent_ref: ref }: Record<string, unknown>, line: number): void {
    const name = isRecord(ref) ? ref.name : undefined;
    if (isRecord(ref)) this.isNamed = true;
    if (!isRecord(ref)) this.none.add(line);
    else if (name !== this.agent) this.others.add(line);
  }

  /** Rows that do not name the agent. */
  get count(): number {
    return (this.others.all?.count ?? 0) + (this.none.all?.count ?? 0);
  }

  findings(): DataFinding[] {
    const lacks = 'no agent_ref, which other rows have: the first step fails';
    return [
      ...finding(
        'axolotl-agent',
        `another agent than ${quote(this.agent)}: if it is not running, Axolotl uses the first one`,
        this.others,
      ),
      ...(this.isNamed ? finding('axolotl-no-agent', lacks, this.none, true) : []),
    ];
  }
}

/** Collects line numbers in ascending order. A line that is added twice counts once. */
class Rows {
  private readonly list: RowList = { count: 0, first: [] };
  private last = 0;

  add(line: number): void {
    if (line === this.last) return;
    this.last = line;
    this.list.count += 1;
    if (this.list.first.length < NAMED) this.list.first.push(line);
  }

  get all(): RowList | undefined {
    return this.list.count === 0 ? undefined : this.list;
  }
}
