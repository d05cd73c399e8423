import { UserError } from '../errors.js';
import { decoded, isText } from '../json-string.js';
import { excerpt, type TaskDescriptor } from '../openenv/index.js';
import type { RawText, TaskRef } from './types.js';

/** A task before it is known which tools it has. */
export interface ListedTask extends TaskRef {
  prompt: string | RawText;
  systemPrompt: string | null;
  /** Tasks of one key are expected to have the same tools. */
  key: string;
  /** Whether the server says which tools a task has, by the descriptor's `toolset`. */
  declared: boolean;
}

/**
 * Reads a task's descriptor, which is whatever the environment's author made of it.
 * @throws UserError naming the task and the field
 */
export function readDescriptor(task: TaskDescriptor, split: string, index: number): ListedTask {
  const refuse = (field: string, found: unknown, wanted: string, fix = FIX): never => {
    throw new UserError(`task ${split}[${index}]: its ${field} is ${shown(found)}, not ${wanted}`, { fix });
  };
  const { prompt } = task;
  const id = decoded(task.id);
  const systemPrompt = decoded(task.system_prompt) ?? null;
  const toolset = decoded(task.toolset);
  const agent = decoded(task.agent);
  if (task.index !== undefined && task.index !== index) refuse('index', task.index, `${index}, its place in the split`);
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) refuse('id', id, 'a string');
  if (!isText(prompt)) {
    refuse('prompt', prompt, 'a string', prompt == null ? ownPrompts(split) : FIX);
  }
  if (systemPrompt !== null && typeof systemPrompt !== 'string')
    refuse('system_prompt', systemPrompt, 'a string or null');
  const declared = typeof toolset === 'string';
  return {
    split,
    index,
    id: String(id),
    prompt: prompt as string | RawText,
    systemPrompt: systemPrompt as string | null,
    key: declared ? `toolset:${toolset}` : `agent:${typeof agent === 'string' ? agent : ''}`,
    declared,
  };
}

const FIX = 'correct the task on the server, or leave its split out with --split';

/** How to write rows of tasks that are listed without prompts: their resets show these. */
function ownPrompts(split: string): string {
  const line = JSON.stringify({ reset: { split, index: 0 } });
  return `take the prompts from the resets: --tasks FILE, a .jsonl file with a line such as ${line} for each task; or leave the split out with --split`;
}

/** What makes two descriptors the same task, wherever they are listed. */
export function identityOf({ id, prompt, systemPrompt, key }: ListedTask): string {
  return JSON.stringify([id, prompt, systemPrompt, key]);
}

/** How messages name a task: `train[3] 'day-3'`. */
export function nameOf({ split, index, id }: TaskRef): string {
  return `${excerpt(split, 60)}[${index}] '${excerpt(lastSegment(id), 80)}'`;
}

/** The part of an id that is the same wherever the bundle is served from: its last segment. */
export function lastSegment(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** The start of a value that a server sent, as JSON; it may be nested deeper than JSON.stringify goes. */
export function shown(value: unknown, length = 60): string {
  if (value === undefined) return 'missing';
  try {
    return excerpt(JSON.stringify(value), length);
  } catch {
    return 'nested too deep';
  }
}
