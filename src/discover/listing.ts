import { UserError } from '../errors.js';
import { isUndecoded, type LazyString } from '../json/json-string.js';
import type { Split, TaskRef } from '../model.js';
import { excerpt, type TaskDescriptor } from '../openenv/index.js';

/** Maximum number of names in one message. */
const SHOWN_NAMES = 20;

/** Which tasks of a source are read. */
export interface TaskSelection {
  /** Names of the splits to read; all splits if empty. */
  splits: readonly string[];
  /** Maximum number of tasks per split. */
  limit: number;
}

/**
 * The splits to read, in the order in which they are served.
 * @param wanted names of splits; all splits if empty
 * @throws UserError if a wanted split is not served
 */
export function chooseSplits(served: readonly string[], wanted: readonly string[]): string[] {
  const known = new Set(served);
  const unknown = wanted.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new UserError(`no such split: ${joinNames(unknown.map((name) => `'${name}'`))}`, {
      fix: `pass --split with one of: ${joinNames(served) || 'none'}`,
    });
  }
  const chosen = new Set(wanted);
  return served.filter((name) => chosen.size === 0 || chosen.has(name));
}

/** Estimated number of different tasks. A split that is as large as all others together probably has the same tasks. */
export function countDifferentTasks(splits: readonly Split[]): number {
  const counts = splits.map(({ count }) => count);
  const [largest, total] = [Math.max(...counts), counts.reduce((sum, count) => sum + count, 0)];
  return largest * 2 >= total ? largest : total;
}

function joinNames(names: readonly string[]): string {
  const more = names.length > SHOWN_NAMES ? [`and ${names.length - SHOWN_NAMES} more`] : [];
  return [...names.slice(0, SHOWN_NAMES), ...more].join(', ');
}

/** A task whose tools are not known yet. */
export interface ListedTask extends TaskRef {
  prompt: LazyString;
  systemPrompt: string | null;
  /** Tasks with the same key are expected to have the same tools. */
  key: string;
  /** Whether the key comes from the descriptor's `toolset`. */
  declared: boolean;
}

/**
 * Reads the descriptor of a task. Environments add fields of their own.
 * @throws UserError naming the task and the field
 */
export function readDescriptor(task: TaskDescriptor, split: string, index: number): ListedTask {
  const refuse = (field: string, found: unknown, wanted: string, fix = FIX): never => {
    throw new UserError(`task ${split}[${index}]: ${field} must be ${wanted}, but is ${shown(found)}`, { fix });
  };
  const { prompt } = task;
  const id = decoded(task.id);
  const systemPrompt = decoded(task.system_prompt) ?? null;
  const toolset = decoded(task.toolset);
  const agent = decoded(task.agent);
  if (task.index !== undefined && task.index !== index)
    refuse('index', task.index, `${index} (its place in the split)`);
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) refuse('id', id, 'a string');
  if (typeof prompt !== 'string' && !isUndecoded(prompt)) {
    refuse('prompt', prompt, 'a string', prompt == null ? promptsFromResets(split) : FIX);
  }
  if (systemPrompt !== null && typeof systemPrompt !== 'string')
    refuse('system_prompt', systemPrompt, 'a string or null');
  const declared = typeof toolset === 'string';
  return {
    split,
    index,
    id: String(id),
    prompt: prompt as LazyString,
    systemPrompt: systemPrompt as string | null,
    key: declared ? `toolset:${toolset}` : `agent:${typeof agent === 'string' ? agent : ''}`,
    declared,
  };
}

const FIX = 'correct the task on the server, or select other splits with --split';

/** How to write rows if the server lists tasks without prompts. */
function promptsFromResets(split: string): string {
  const line = JSON.stringify({ reset: { split, index: 0 } });
  return `to take the prompts from resets, pass --tasks FILE, a .jsonl file with a line such as ${line} for each task; or select other splits with --split`;
}

function decoded(value: unknown): unknown {
  return isUndecoded(value) ? value.toString() : value;
}

/** Equal for descriptors of the same task, in whichever split they are listed. */
export function identityOf({ id, prompt, systemPrompt, key }: ListedTask): string {
  return JSON.stringify([id, prompt, systemPrompt, key]);
}

/** The name of a task in messages: `train[3] 'day-3'`. */
export function nameOf({ split, index, id }: TaskRef): string {
  return `${excerpt(split, 60)}[${index}] '${excerpt(lastSegment(id), 80)}'`;
}

/** The last segment of an id, which does not depend on where the bundle is served from. */
export function lastSegment(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** The start of a server's value as JSON. The value may be nested more deeply than JSON.stringify supports. */
export function shown(value: unknown, length = 60): string {
  if (value === undefined) return 'missing';
  try {
    return excerpt(JSON.stringify(value), length);
  } catch {
    return 'nested too deeply';
  }
}
