/** An agent that rows can name. */
export interface AgentFacts {
  /** Folder of its program, such as `simple_agent`. */
  implementation: string;
  /** Names of the tools that its resources server serves, if that is known. */
  tools: ReadonlySet<string> | undefined;
  /** Whether every task of its resources server has tools. */
  alwaysTools: boolean;
  /** Name of its resources server. */
  server?: string | undefined;
  /** What its OpenEnv server serves now; only with `--live`. */
  live?: LiveTasks;
}

/** What an OpenEnv server serves now. */
export interface LiveTasks {
  splits: ReadonlyMap<string, LiveSplit>;
  /** Names that the tools have in rows. */
  tools: ReadonlySet<string>;
}

export interface LiveSplit {
  count: number;
  /** Whether the task at an index has the last segment of this id. */
  isTask(index: number, id: string): boolean;
}

/** The facts that rows are checked against. */
export interface RowContext {
  /** Rows of a dataset of NeMo Platform, not of a Gym root. */
  isDataset: boolean;
  /** Agent instances by name; undefined if no configs are known. */
  agents: ReadonlyMap<string, AgentFacts> | undefined;
  /** Type of each other instance by name. */
  others: ReadonlyMap<string, string>;
  /** `metadata.vf_env_id` of the package. */
  vfEnvId: string | undefined;
}

/** Why a line is not a row, by the code of the rule. */
export interface LineFault {
  code: string;
  problem: string;
}

/** One line of a file of rows. */
export interface RowFacts {
  file: string;
  /** Number of the line, from 1. */
  row: number;
  /** Undefined if the line could not be read. */
  value: unknown;
  fault: LineFault | undefined;
  context: RowContext;
}
