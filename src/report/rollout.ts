import { type JsonObject, numberOf, objectOf, objectsOf, textOf } from './values.js';
import { shortText } from './visible-text.js';

/** The parts of a rollout that the statistics need. */
export interface Rollout {
  /** Line in its file, from 1. */
  line: number;
  /** The same for all rollouts of a task, also in different files. */
  task: string;
  split?: string;
  /** Position of the task in its file of rows, if known. */
  index?: number;
  /** Name for display. */
  label: string;
  agent?: string;
  /** Missing if the line has none, or not a finite number. */
  reward?: number;
  /** Why the rollout does not count. */
  mask?: { kind: string; reason: string };
  /** Names of the tools called, in order. */
  calls: readonly string[];
  /** Model calls. */
  turns: number;
  /** Tokens that the model generated. */
  generated?: number;
  /** Tokens of the first prompt. */
  prompt?: number;
  /** Tokens of the whole conversation, after the last turn. */
  sequence?: number;
}

/** @param value a line of rollouts.jsonl, in which token ids are replaced by their number */
export function rolloutOf(value: JsonObject, line: number): Rollout {
  const output = outputOf(value);
  const calls = output
    .filter(({ type }) => type === 'function_call')
    .map(({ name }) => shortText(textOf(name) ?? '', 64));
  const agent = textOf(objectOf(value.agent_ref)?.name);
  const reward = typeof value.reward === 'boolean' ? Number(value.reward) : numberOf(value.reward);
  const mask = maskOf(value);
  return {
    line,
    ...taskOf(value, line),
    ...(agent === undefined ? {} : { agent: shortText(agent) }),
    ...(reward === undefined ? {} : { reward }),
    ...(mask === undefined ? {} : { mask }),
    calls,
    turns: turnsOf(output).length,
    ...tokensOf(value, output),
  };
}

/** Whether the rollout counts: it has a reward, and is not masked. */
export function isScored(rollout: Rollout): rollout is Rollout & { reward: number } {
  return rollout.mask === undefined && rollout.reward !== undefined;
}

export function outputOf(value: JsonObject): JsonObject[] {
  return objectsOf(objectOf(value.response)?.output);
}

/** `instance_config` is where NeMo RL reads the mask. */
export function maskOf(value: JsonObject): Rollout['mask'] {
  if (value.mask_sample !== true && objectOf(value.instance_config)?.mask_sample !== true) return undefined;
  const kind = textOf(value.failure_kind) ?? '';
  return {
    kind: kind === '' ? 'no kind' : shortText(kind, 80),
    reason: shortText(textOf(value.failure_reason) ?? '', 300),
  };
}

/** gymgen's rows name their task. Other rows are identified by NeMo Gym's number of the row. */
function taskOf(value: JsonObject, line: number): Pick<Rollout, 'task' | 'split' | 'index' | 'label'> {
  const split = textOf(value.split);
  const id = textOf(value.task_id);
  const row = numberOf(value._ng_task_index);
  const index = numberOf(value.index) ?? row;
  const isNamed = id !== undefined || numberOf(value.index) !== undefined;
  const parts = [...(split === undefined ? [] : [split]), ...(index === undefined ? [] : [String(index)])];
  const place = parts.join(' ');
  return {
    task: JSON.stringify(isNamed ? [split, value.index, id] : [row ?? `line ${line}`]),
    ...(split === undefined ? {} : { split: shortText(split) }),
    ...(index === undefined ? {} : { index }),
    label: shortText([place, id].filter(Boolean).join(' · ') || `line ${line}`),
  };
}

/** The items that the model generated, by model call. A call ends when a tool returns its output. */
export function turnsOf(output: readonly JsonObject[]): JsonObject[][] {
  const turns: JsonObject[][] = [];
  let isNew = true;
  for (const item of output) {
    const isModel = item.type !== 'function_call_output' && (item.role === undefined || item.role === 'assistant');
    if (isModel && isNew) turns.push([]);
    if (isModel) turns.at(-1)?.push(item);
    isNew = !isModel;
  }
  return turns;
}

/** From token ids, which a model server for training adds to an item of each turn, or else from the usage of all turns. */
function tokensOf(
  value: JsonObject,
  output: readonly JsonObject[],
): Pick<Rollout, 'generated' | 'prompt' | 'sequence'> {
  const counted = output.filter(({ generation_token_ids: ids }) => numberOf(ids) !== undefined);
  const [first, last] = [counted[0], counted.at(-1)];
  if (first && last) {
    const prompt = numberOf(first.prompt_token_ids);
    const lastPrompt = numberOf(last.prompt_token_ids);
    const sum = counted.reduce((total, item) => total + (item.generation_token_ids as number), 0);
    return {
      generated: sum,
      ...(prompt === undefined ? {} : { prompt }),
      ...(lastPrompt === undefined ? {} : { sequence: lastPrompt + (last.generation_token_ids as number) }),
    };
  }
  const usage = objectOf(objectOf(value.response)?.usage);
  const [input, generated] = [numberOf(usage?.input_tokens), numberOf(usage?.output_tokens)];
  const isSingle = turnsOf(output).length === 1;
  return {
    ...(generated === undefined ? {} : { generated }),
    ...(input !== undefined && isSingle ? { prompt: input } : {}),
    ...(input !== undefined && generated !== undefined && isSingle ? { sequence: input + generated } : {}),
  };
}
