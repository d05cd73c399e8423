// Generated from src/options/. To update: GYMGEN_UPDATE_GOLDEN=1 npx vitest run --project unit test/docs

import type { BatchRunOptions } from './batch-reporter.js';
import type { RunOptions } from './run.js';

/** Options of every function that reads a source. */
export interface SourceOptions {
  /** Split to read (default: all) */
  split?: readonly string[] | undefined;
  /** Maximum number of rows per split (default: all) */
  limit?: number | undefined;
  /** Server URL that Gym uses (default: the URL of the source) */
  configUrl?: string | undefined;
  /** Step whose score is the reward, if the steps of a task have several scores */
  reward?: string | undefined;
  /** HTTP header for probing and for Gym, with $VAR in its value */
  headerEnv?: Readonly<Record<string, string>> | undefined;
  /** Time limit for one tool call, in seconds (default: 60) */
  toolTimeout?: number | undefined;
  /** Time limit for opening and resetting a session, and for each end_turn, in seconds (default: 600) */
  resetTimeout?: number | undefined;
  /** Maximum number of model calls per rollout (default: no limit) */
  maxSteps?: number | undefined;
  /** Tasks with the arguments of their resets (.jsonl, .csv or .json) */
  tasks?: string | undefined;
  /** Number of tasks to create, each with its own seed */
  episodes?: number | undefined;
  /** Seed of the first episode (default: 0) */
  seed?: number | undefined;
  /** Argument of the reset that takes the seed (default: seed) */
  seedKey?: string | undefined;
  /** Prompt of tasks without one; the first observation is appended */
  prompt?: string | undefined;
  /**
   * Field of the first observation to add to the prompt, such as metadata.question (default: a common one such as
   * question, otherwise the whole observation)
   */
  promptField?: readonly string[] | undefined;
  /** Field of the action to hide from the model */
  hideField?: readonly string[] | undefined;
  /** Fixed value for a field of the action (JSON, otherwise text) */
  fixField?: Readonly<Record<string, string>> | undefined;
  /** Description of the tool (default: the action's own) */
  toolDoc?: string | undefined;
  /** Maximum number of episodes at once (default: 8) */
  maxConcurrentEnvs?: number | undefined;
  /** Sandbox provider to deploy the environments on */
  sandbox?: string | undefined;
  /** Python that has agentenv-framework[openenv] (default: found, or installed with uv) */
  python?: string | undefined;
  /** Accept the bundle and the AgentEnv version that a recording names */
  trustRecording?: boolean | undefined;
  /** Probe all tasks if the server has at most this many; otherwise only a few tasks per agent (default: 32) */
  probes?: number | 'all' | undefined;
  /** Turns of a probed task to open; turns after the first run its verifier (default: all) */
  probeTurns?: 'first' | 'all' | undefined;
  /** Maximum number of open sessions (default: 8) */
  maxSessions?: number | undefined;
  /** HTTP header for probing only; never written */
  header?: Readonly<Record<string, string>> | undefined;
}

/** Options that decide what is generated. */
export interface GenerateOptions extends SourceOptions {
  /** Name of the server and its folder (default: from the environment's name) */
  name?: string | undefined;
  /** New name for a tool whose name models or Gym reject */
  renameTool?: Readonly<Record<string, string>> | undefined;
  /** Text to append to the system prompt of each task */
  appendSystemPrompt?: string | undefined;
  /**
   * Splits for Gym to train and validate on; naming splits also writes 5 example rows (default: train, and the first of
   * validation, val, dev, eval, test)
   */
  datasets?: 'none' | { readonly train?: string; readonly validation?: string } | undefined;
  /** License of the datasets as Gym spells it, such as 'Apache 2.0' or 'MIT' (default: TBD) */
  license?: string | undefined;
  /** Keep the serving machine's path in task ids */
  fullIds?: boolean | undefined;
  /** How step rewards become the score (default: final, or sum for a server without the Task API) */
  rewardRule?: 'sum' | 'last' | 'max' | 'final' | undefined;
  /** Time without a request after which an episode is ended, in seconds (default: 600) */
  idleTimeout?: number | undefined;
  /** Write the bundle's absolute path into the config, even within one git repository */
  absolute?: boolean | undefined;
}

/** Options of `write`. */
export interface WriteOptions extends GenerateOptions, RunOptions {
  /** Show the plan and one row; write nothing */
  dryRun?: boolean | undefined;
  /** Overwrite files that were edited by hand */
  force?: boolean | undefined;
  /** Treat warnings as errors: exit with 1, and write nothing for a source with warnings */
  strict?: boolean | undefined;
}

/** Options of `check` with a source. */
export interface CheckOptions extends GenerateOptions, RunOptions {
  /** Treat warnings as errors: exit with 1, and write nothing for a source with warnings */
  strict?: boolean | undefined;
}

/** Options of `inspect`. */
export type InspectOptions = GenerateOptions & RunOptions;

/** Options of `record`. */
export type RecordOptions = SourceOptions & RunOptions;

/** Options in addition to those of the lock files. */
export interface LockOptions extends RunOptions {
  /** Regenerate only this folder (default: all) */
  name?: string | undefined;
  /** HTTP header for probing and for Gym, with $VAR in its value */
  headerEnv?: Readonly<Record<string, string>> | undefined;
  /** Tasks with the arguments of their resets (.jsonl, .csv or .json) */
  tasks?: string | undefined;
  /** Python that has agentenv-framework[openenv] (default: found, or installed with uv) */
  python?: string | undefined;
  /** Accept the bundle and the AgentEnv version that a recording names */
  trustRecording?: boolean | undefined;
  /** Maximum number of open sessions (default: 8) */
  maxSessions?: number | undefined;
  /** HTTP header for probing only; never written */
  header?: Readonly<Record<string, string>> | undefined;
  /** Source to use instead of the one in the lock file */
  source?: string | undefined;
  /** Run the bundle or project that the lock file names */
  runSource?: boolean | undefined;
}

/** Options of `check` with the sources in the lock files. */
export interface CheckRootOptions extends LockOptions {
  /** Treat warnings as errors: exit with 1, and write nothing for a source with warnings */
  strict?: boolean | undefined;
}

/** Options of `update`. */
export interface UpdateOptions extends LockOptions {
  /** Show what would change; write nothing */
  dryRun?: boolean | undefined;
  /** Overwrite files that were edited by hand */
  force?: boolean | undefined;
  /** Keep manual edits and record them, so that check accepts them */
  theirs?: boolean | undefined;
  /** Keep edited prompts row by row, and regenerate everything else in the rows */
  keepPrompts?: boolean | undefined;
}

/** Options of `batch`. */
export interface BatchOptions extends GenerateOptions, BatchRunOptions {
  /** Target Gym root (default: the root of the batch file) */
  root?: string | undefined;
  /** Number of sources to work on at once (default: the number of processors) */
  concurrency?: number | undefined;
  /** Number of retries for an unreachable source (default: 2) */
  retries?: number | undefined;
  /** Stop at the first failure */
  failFast?: boolean | undefined;
  /** Compare with the existing folders; write nothing */
  check?: boolean | undefined;
  /** Overwrite files that were edited by hand */
  force?: boolean | undefined;
  /** Treat warnings as errors: exit with 1, and write nothing for a source with warnings */
  strict?: boolean | undefined;
}
