import { Command, Option } from 'commander';

/** Flags for servers that list no tasks, and for environments that have an action in place of tools. */
export interface TaskFlags {
  tasks?: string;
  episodes?: string;
  seed?: string;
  seedKey?: string;
  prompt?: string;
  promptField?: string[];
  hideField?: string[];
  fixField?: string[];
  toolDoc?: string;
}

const many = (value: string, all: string[] = []) => [...all, value];

export function addTaskOptions(command: Command): Command {
  return command
    .optionsGroup('A server that lists no tasks:')
    .addOption(
      new Option('--tasks <file>', 'the tasks, with the arguments of their resets (.jsonl, .csv or .json)').conflicts(
        'episodes',
      ),
    )
    .option('--episodes <n>', 'in their place, as many seeds')
    .option('--seed <n>', 'the first of them (default: 0)')
    .option('--seed-key <name>', "the reset's argument that takes a seed (default: seed)")
    .option('--prompt <text|@file>', 'what the job is, for tasks without a prompt; what a reset shows comes below it')
    .option('--prompt-field <name>', 'what is shown of a reset, such as metadata.question; repeatable', many)
    .optionsGroup('An environment with one action in place of tools:')
    .option('--hide-field <name>', 'a field that the model is not shown; repeatable', many)
    .option('--fix-field <name=value>', 'a field that always has this value (JSON, else text); repeatable', many)
    .option('--tool-doc <text|@file>', "what the tool does, in place of the action's own description");
}

/** What these options are called in the flags. */
export const TASK_OPTIONS = addTaskOptions(new Command()).options.map(
  (option) => option.attributeName() as keyof TaskFlags,
);
