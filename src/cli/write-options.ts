import { Command, Option } from 'commander';
import { REWARD_RULES } from '../model.js';
import { addTaskOptions, type TaskFlags } from './task-options.js';

/** The flags of the main command as commander parses them: strings, to be checked by `write-request.ts`. */
export interface WriteFlags extends TaskFlags {
  name?: string;
  split?: string[];
  limit?: string;
  probes?: string;
  probeTurns?: 'first' | 'all';
  maxSessions?: string;
  resetTimeout?: string;
  toolTimeout?: string;
  idleTimeout?: string;
  renameTool?: string[];
  configUrl?: string;
  reward?: string;
  rewardRule?: string;
  maxConcurrentEnvs?: string;
  sandbox?: string;
  absolute?: boolean;
  python?: string;
  trustRecording?: boolean;
  header?: string[];
  headerEnv?: string[];
  maxSteps?: string;
  appendSystemPrompt?: string;
  datasets?: string;
  license?: string;
  fullIds?: boolean;
  dryRun?: boolean;
  diff?: boolean;
  force?: boolean;
  strict?: boolean;
  json?: boolean;
  quiet?: boolean;
  verbose?: boolean;
}

const many = (value: string, all: string[] = []) => [...all, value];

/** The main command's options, in the order that `--help` shows them. */
export function addWriteOptions(command: Command): Command {
  addGenerateOptions(command)
    .optionsGroup('How it runs:')
    .option('--dry-run', 'show the plan and one row; write nothing')
    .option('--diff', 'show the plan and what differs; write nothing')
    .option('--force', "take gymgen's version of files that were edited by hand")
    .addOption(strictOption());
  return addUiOptions(command);
}

/** Of the commands that read all that a source serves. */
export function strictOption(): Option {
  return new Option('--strict', 'treat warnings as errors: exit with 1, and write nothing for that source');
}

export function addUiOptions(command: Command): Command {
  return command
    .option('--json', 'one JSON document on stdout')
    .option('-q, --quiet', 'errors and the result only')
    .option('-v, --verbose', 'more of what is going on');
}

/** The options of these flags, for a command that takes some of them. */
export function addSomeOptions(command: Command, flags: readonly (keyof WriteFlags)[]): Command {
  for (const option of addGenerateOptions(new Command()).options) {
    if ((flags as readonly string[]).includes(option.attributeName())) command.addOption(option);
  }
  return command;
}

/** What decides which folder comes out of a source. */
export function addGenerateOptions(command: Command): Command {
  command
    .optionsGroup('What is written:')
    .option('--name <name>', "the server's and folder's name (default: made of the environment's)")
    .option('--split <name>', 'a split to write; repeatable (default: all)', many)
    .option('--limit <rows>', 'rows of a split, at most')
    .option('--rename-tool <old=new>', 'a name for a tool that models or Gym refuse; repeatable', many)
    .option('--append-system-prompt <text|@file>', "added to each task's system prompt")
    .addOption(
      new Option('--datasets <train=SPLIT,validation=SPLIT>', "a datasets block in Gym's terms, and 5 example rows"),
    )
    .option('--license <license>', "the datasets' licence, in Gym's words: 'Apache 2.0', 'MIT', 'TBD', …")
    .option('--full-ids', "keep the serving machine's path in the tasks' ids")
    .optionsGroup('What the config says:')
    .addOption(
      new Option('--config-url <url>', "the server's URL for Gym, where it isn't the source's").conflicts('absolute'),
    )
    .option('--reward <step>', "the step whose score is the reward, where a task's steps have several")
    .addOption(
      new Option(
        '--reward-rule <rule>',
        'how the rewards of steps become the score (default: final, or sum where the server lists no tasks)',
      ).choices(REWARD_RULES),
    )
    .option(
      '--header-env <name=value>',
      'a header for probing and for Gym, with $VAR in its value; repeatable',
      many,
      [],
    )
    .option('--tool-timeout <seconds>', 'a tool call (Gym: 60)')
    .option('--reset-timeout <seconds>', 'a free session and its reset; each end_turn (Gym: 600)')
    .option('--idle-timeout <seconds>', 'a session without requests (Gym: 600)')
    .option('--max-steps <n>', "the agent's model calls a rollout, at most");
  return addTaskOptions(command)
    .optionsGroup('An AgentEnv bundle:')
    .option('--max-concurrent-envs <n>', 'episodes that it plays at once (default: 8)')
    .option('--sandbox <name>', 'the sandbox provider that its environments are deployed on')
    .option('--absolute', "the config says the folder's absolute path, in one git repository too")
    .option('--python <path>', 'a Python that has agentenv-framework[openenv] (default: found, or made with uv)')
    .optionsGroup('A recording:')
    .option('--trust-recording', 'accept its bundle and AgentEnv version, wherever the bundle is')
    .optionsGroup('How the server is asked:')
    .option('--probes <n|all>', 'tasks of a toolset that are played to learn its tools, at most (default: 32)')
    .addOption(
      new Option(
        '--probe-turns <which>',
        "open a task's later turns too, which runs its verifier (default: all)",
      ).choices(['first', 'all']),
    )
    .option('--max-sessions <n>', 'sessions opened at once, at most (default: 8)')
    .option('--header <name: value>', 'a header for probing only, never written; repeatable', many);
}
