import { members } from '../json/members.js';
import { maskOf, outputOf } from './rollout.js';
import { type JsonObject, listOf, numberOf, objectOf, objectsOf, textOf } from './values.js';
import { type Excerpt, excerpt, shortText } from './visible-text.js';

/** Characters of one text, and of all texts of a rollout. */
const TEXT = 20_000;
const TEXTS = 400_000;
/** Entries at the start and at the end of a long rollout. */
const FIRST = 300;
const LAST = 100;
const NUMBERS = 100;

/** One message, reasoning, tool call or tool output. */
export interface Entry extends Excerpt {
  kind: 'system' | 'developer' | 'user' | 'assistant' | 'reasoning' | 'call' | 'answer' | 'other';
  /** Name of the tool, or type of another item. */
  name?: string;
  /** Number of the model call, from 1, at its first entry. */
  turn?: number;
}

/** A rollout as the page shows it. */
export interface Transcript {
  /** The prompt and what followed. `left` entries are missing after the first `FIRST`. */
  entries: Entry[];
  left?: number;
  mask?: { kind: string; reason: Excerpt };
  /** Parts and further scores of the reward. */
  components: [string, number][];
  scores: [string, number][];
  /** Names of the tools in the row. */
  tools: string[];
  /** Why the response ended early. */
  incomplete?: string;
  /** Other keys of the line, as JSON. */
  row?: Excerpt;
}

/** Keys that the page shows elsewhere, or that repeat other keys. */
const SHOWN = new Set(
  [
    'responses_create_params response reward reward_components scores mask_sample failure_kind failure_reason agent_ref',
    'split index task_id instance_config _ng_task_index _ng_rollout_index _ng_environment_server _ng_result_type',
  ]
    .join(' ')
    .split(' '),
);

/**
 * @param value a line of rollouts.jsonl, in which token ids are replaced by their number
 * @param json its text
 */
export function transcriptOf(value: JsonObject, json: string): Transcript {
  const params = objectOf(value.responses_create_params);
  const [prompt, output] = [inputOf(params?.input), outputOf(value)];
  const all = [...prompt.map(entryOf), ...outputEntries(output)];
  const kept = all.length > FIRST + LAST ? [...all.slice(0, FIRST), ...all.slice(-LAST)] : all;
  const most = Math.min(TEXT, Math.floor(TEXTS / Math.max(1, kept.length)));
  const mask = maskOf(value);
  const row = rowOf(json);
  const incomplete = textOf(objectOf(objectOf(value.response)?.incomplete_details)?.reason);
  return {
    entries: kept.map(({ text, ...entry }) => ({ ...entry, ...excerpt(text, most) })),
    ...(all.length > kept.length ? { left: all.length - kept.length } : {}),
    ...(mask ? { mask: { kind: mask.kind, reason: excerpt(textOf(value.failure_reason) ?? '', most) } } : {}),
    components: numbersOf(value.reward_components),
    scores: numbersOf(value.scores),
    tools: listOf(params?.tools)
      .slice(0, NUMBERS)
      .flatMap((tool) => shortText(textOf(objectOf(tool)?.name) ?? '', 64) || []),
    ...(incomplete === undefined ? {} : { incomplete: shortText(incomplete) }),
    ...(row === undefined ? {} : { row: excerpt(row, TEXT) }),
  };
}

/** The whole text is kept here until its length is known to fit. */
type Draft = Omit<Entry, 'text' | 'cut' | 'end'> & { text: string };

function inputOf(input: unknown): JsonObject[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  return objectsOf(input);
}

function outputEntries(output: readonly JsonObject[]): Draft[] {
  const names = new Map<unknown, string>();
  let turn = 0;
  let isNew = true;
  return output.map((item) => {
    const entry = entryOf(item);
    if (entry.kind === 'call') names.set(item.call_id, entry.name ?? '');
    const name = entry.kind === 'answer' ? names.get(item.call_id) : undefined;
    const isModel = ['assistant', 'reasoning', 'call', 'other'].includes(entry.kind);
    const begins = isModel && isNew;
    isNew = !isModel;
    if (begins) turn += 1;
    return { ...entry, ...(name === undefined ? {} : { name }), ...(begins ? { turn } : {}) };
  });
}

function entryOf(item: JsonObject): Draft {
  const { type, role } = item;
  if (type === 'function_call') {
    return { kind: 'call', name: shortText(textOf(item.name) ?? '', 64), text: plain(item.arguments) };
  }
  if (type === 'function_call_output') return { kind: 'answer', text: plain(item.output) };
  if (type === 'reasoning') return { kind: 'reasoning', text: thought(item) };
  if (role === 'system' || role === 'developer' || role === 'user' || role === 'assistant') {
    return { kind: role, text: plain(item.content) };
  }
  return { kind: 'other', name: shortText(textOf(type) ?? 'item', 64), text: jsonOf(item) };
}

function thought(item: JsonObject): string {
  const parts = [...listOf(item.summary), ...listOf(item.content)];
  return parts.map((part) => textOf(objectOf(part)?.text) ?? '').join('\n');
}

/** A text, the texts of a list of parts, or JSON. */
function plain(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : jsonOf(content);
  return content
    .map((part) => {
      const object = objectOf(part);
      return textOf(object?.text) ?? textOf(object?.refusal) ?? jsonOf(part);
    })
    .join('\n');
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value);
}

function numbersOf(value: unknown): [string, number][] {
  const found = Object.entries(objectOf(value) ?? {}).slice(0, NUMBERS);
  return found.flatMap(([name, number]) => {
    const score = typeof number === 'boolean' ? Number(number) : numberOf(number);
    return score === undefined ? [] : [[shortText(name, 80), score] as [string, number]];
  });
}

/** The remaining keys with the spelling of their values. JSON.parse would change large numbers. */
function rowOf(json: string): string | undefined {
  const rest = [...members(json)].filter(([key]) => !SHOWN.has(key));
  return rest.length === 0 ? undefined : `{${rest.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}
