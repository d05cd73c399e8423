/**
 * How a row of `data/<split>.jsonl` is spelled. Only this file knows the order of the keys and the spacing. A row is one line:
 *
 *     {"responses_create_params":{"input":[{"role":"system","content":"…"},{"role":"user","content":"…"}],"tools":[…]},
 *      "agent_ref":{"type":"responses_api_agents","name":"…"},"split":"…","index":0,"task_id":"…"}
 *
 * Without a system prompt there is no system message. A provided task has `"reset":{…}` instead of split and index.
 * @see `NeMoGymResponseCreateParamsNonStreaming` (nemo_gym/openai_utils.py) for the request
 */
import { escapeJson, safeJson } from '../display-text.js';
import { endOfString } from '../json/bounds.js';
import type { ByteBuilder } from '../json/byte-builder.js';
import { isUndecoded } from '../json/json-string.js';
import type { GymOptions, JsonText, Task, Tool } from '../model.js';
import { namesOf } from './names.js';
import type { PromptFingerprints } from './prompt-fingerprints.js';

const INPUT = '{"responses_create_params":{"input":';
const TOOLS = ',"tools":';
const AGENT = '},"agent_ref":';
const TASK_ID = ',"task_id":';

/**
 * Encodes rows as bytes. Most consecutive rows differ only in prompt, index and id. Their other parts are encoded once.
 */
export class RowEncoder {
  private readonly fullIds: boolean;
  /** The row up to its prompt. */
  private readonly start: (systemPrompt: string | null) => Buffer;
  /** The row from its tools up to its index or reset. */
  private readonly middle: (tools: string, split: string | undefined) => Buffer;

  constructor({ name, appendSystemPrompt, fullIds }: Pick<GymOptions, 'name' | 'appendSystemPrompt' | 'fullIds'>) {
    this.fullIds = fullIds;
    const agent = safeJson({ type: 'responses_api_agents', name: namesOf(name).agent });
    this.start = rememberLast((systemPrompt) => {
      const prompt = [systemPrompt, appendSystemPrompt].filter((part) => part).join('\n\n');
      const message = prompt === '' ? '' : `{"role":"system","content":${safeJson(prompt)}},`;
      return `${INPUT}[${message}{"role":"user","content":`;
    });
    this.middle = rememberLast((tools, split) => {
      const place = split === undefined ? '"reset":' : `"split":${safeJson(split)},"index":`;
      return `${TOOLS}${tools}${AGENT}${agent},${place}`;
    });
  }

  /**
   * Appends a row with its line end.
   * @param tools of the task as a JSON array, see `toolJson`
   * @param fingerprints gets the row's prompts
   */
  append(bytes: ByteBuilder, task: Task, tools: string, fingerprints?: PromptFingerprints): void {
    const { split, index, reset, id, prompt, systemPrompt } = task;
    const input = bytes.length + INPUT.length;
    bytes.add(this.start(systemPrompt));
    if (isUndecoded(prompt)) bytes.add(prompt.data, prompt.start, prompt.end);
    else bytes.text(safeJson(prompt));
    bytes.text('}]');
    fingerprints?.add(bytes.since(input));
    bytes.add(this.middle(tools, reset === undefined ? split : undefined));
    const place = reset === undefined ? `${index}` : oneLine(reset);
    bytes.text(`${place}${TASK_ID}${safeJson(rowTaskId(id, this.fullIds))}}\n`);
  }
}

/** Calls a function again only when its arguments have changed. */
function rememberLast<Arguments extends readonly unknown[]>(encode: (...values: Arguments) => string) {
  let last: Arguments | undefined;
  let bytes = Buffer.alloc(0);
  return (...values: Arguments): Buffer => {
    if (last === undefined || values.some((value, at) => value !== last?.[at])) {
      bytes = Buffer.from(encode(...values));
      last = values;
    }
    return bytes;
  };
}

/** A tool as JSON, for a row's tools and for `toolsets.json`. */
export function toolJson(name: string, { description, parameters }: Tool): string {
  const start = `{"type":"function","name":${safeJson(name)},"description":${safeJson(description)}`;
  return `${start},"parameters":${oneLine(parameters)},"strict":false}`;
}

/** JSON on one line. Line breaks in valid JSON are between tokens, where a space means the same. */
function oneLine(json: JsonText): string {
  return escapeJson(json.trim().replace(/[\r\n]+/g, ' '));
}

/**
 * A task's id in rows and in `toolsets.json`. AgentEnv's ids of local bundles contain a path of the serving machine
 * (`@local/srv/envs/gridsim-v1/day-1`). Unless `fullIds` is set, only the bundle and the task are kept, so that rows are the
 * same on every machine. The bridge identifies a task by split, index and the last segment of its id.
 */
export function rowTaskId(id: string, fullIds: boolean): string {
  if (fullIds || !id.startsWith('@local/')) return id;
  const task = id.lastIndexOf('/');
  const bundle = id.lastIndexOf('/', task - 1);
  return bundle <= '@local'.length ? id : `@local${id.slice(bundle)}`;
}

/** The task id of a row, without parsing it; undefined if the line is not spelled as gymgen spells rows. */
export function taskIdOf(row: string): string | undefined {
  // The start is checked, too: a truncated row can end like a complete one.
  const start = row.lastIndexOf(`${TASK_ID}"`);
  if (start === -1 || !row.endsWith('"}') || !row.startsWith(INPUT)) return undefined;
  const id = row.slice(start + TASK_ID.length + 1, -2);
  return /["\\]/.test(id) ? undefined : id; // an escape would have to be decoded
}

/** A generated row with other messages. */
export function withInput(row: string, input: unknown): string {
  const end = row.indexOf(`]${TOOLS}[`) + 1;
  if (end === 0 || !row.startsWith(INPUT)) throw new Error(`not a generated row: ${row.slice(0, 80)}`);
  return `${INPUT}${inputJson(input)}${row.slice(end)}`;
}

/** A row's messages, spelled as in a generated row. */
export function inputJson(input: unknown): string {
  return safeJson(input);
}

/** Whether two rows differ at most in white space and in needless escapes of strings. */
export function isSameRow(one: string, other: string): boolean {
  return one === other || normalized(one) === normalized(other);
}

/** Numbers stay as they are. String by string, since one can be longer than a regular expression takes. */
function normalized(json: string): string {
  const parts: string[] = [];
  let start = 0;
  for (let quote = json.indexOf('"'); quote !== -1; quote = json.indexOf('"', start)) {
    const end = endOfString(json, quote) + 1;
    parts.push(json.slice(start, quote).replace(/\s/g, ''), JSON.stringify(JSON.parse(json.slice(quote, end))));
    start = end;
  }
  return parts.join('') + json.slice(start).replace(/\s/g, '');
}
