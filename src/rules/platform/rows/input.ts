import { closest } from '../../../closest.js';
import { isRecord } from '../../../json/guards.js';
import { quote } from '../../finding.js';
import { shown } from '../manifest.js';
import type { Rule } from '../rule.js';
import type { RowFacts } from './facts.js';
import { type FoundInRow, onParams } from './on-row.js';

const MODEL =
  '`NeMoGymResponseCreateParamsNonStreaming` (nemo_gym/openai_utils.py): the request with all its rows fails (422).';

const isText = (value: unknown) => typeof value === 'string';
/** pydantic also reads numbers from texts. */
const isNumber = (value: unknown) => typeof value === 'number' || (isText(value) && Number.isFinite(Number(value)));
const isWhole = (value: unknown) => isNumber(value) && Number.isInteger(Number(value));
const isFlag = (value: unknown) =>
  typeof value === 'boolean' || /^(?:[01]|true|false|yes|no|on|off|[tfyn])$/i.test(String(value));
const isList = (value: unknown) => Array.isArray(value);
const isChoice =
  (...names: readonly string[]) =>
  (value: unknown) =>
    names.includes(value as string);
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value);
const isToolChoice = (value: unknown) => isRecord(value) || isChoice('none', 'auto', 'required')(value);
const isTexts = (value: unknown) => isRecord(value) && Object.values(value).every(isText);

/** Fields of the request, and what their values must be. `input` and `tools` have rules of their own. */
const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  input: () => true,
  tools: () => true,
  background: orNull(isFlag),
  include: orNull(isList),
  instructions: orNull(isText),
  max_output_tokens: orNull(isWhole),
  max_tool_calls: orNull(isWhole),
  metadata: orNull(isTexts),
  model: orNull(isText),
  parallel_tool_calls: isFlag,
  previous_response_id: orNull(isText),
  prompt: orNull(isRecord),
  reasoning: orNull(isRecord),
  service_tier: orNull(isChoice('auto', 'default', 'flex', 'scale', 'priority')),
  store: orNull(isFlag),
  context_management: orNull(isList),
  conversation: orNull((value) => isText(value) || isRecord(value)),
  moderation: orNull(isRecord),
  prompt_cache_key: orNull(isText),
  prompt_cache_retention: orNull(isChoice('in_memory', '24h')),
  safety_identifier: orNull(isText),
  stream_options: orNull(isRecord),
  temperature: orNull(isNumber),
  text: orNull(isRecord),
  tool_choice: isToolChoice,
  top_logprobs: orNull(isWhole),
  top_p: orNull(isNumber),
  truncation: orNull(isChoice('auto', 'disabled')),
  user: orNull(isText),
  stream: orNull((value) => value === false),
};

const key = onParams(
  {
    code: 'row-params-key',
    severity: 'error',
    rule: 'responses_create_params has only keys of the Responses API',
    why: MODEL,
    when: 'rollout',
  },
  (params) => {
    for (const name in params) {
      if (Object.hasOwn(FIELDS, name)) continue;
      const near = name === 'messages' ? 'input' : closest(name, Object.keys(FIELDS));
      const fix = near === undefined ? 'remove it' : `did you mean ${near}?`;
      return {
        subject: `responses_create_params key ${quote(name)}`,
        problem: 'is not a key of the Responses API',
        fix,
      };
    }
    return undefined;
  },
);

const value = onParams(
  {
    code: 'row-params-value',
    severity: 'error',
    rule: 'The values of responses_create_params have the types of the Responses API',
    why: MODEL,
    when: 'rollout',
  },
  (params) => {
    for (const name in params) {
      if (FIELDS[name]?.(params[name]) ?? true) continue;
      return { subject: `responses_create_params.${name}`, problem: `is ${shown(params[name])}`, fix: 'correct it' };
    }
    return undefined;
  },
);

const missing = onParams(
  {
    code: 'row-input-missing',
    severity: 'error',
    rule: 'responses_create_params has input: a string or a list of messages',
    why: MODEL,
    when: 'rollout',
  },
  ({ input }) =>
    isText(input) || isList(input)
      ? undefined
      : { subject: 'input', problem: input === undefined ? 'is missing' : `is ${shown(input)}`, fix: 'write messages' },
);

const empty = onParams(
  {
    code: 'row-input-empty',
    severity: 'error',
    rule: 'input of a dataset has a message',
    why: 'The agent reads the last message, and fails without one (500). Some servers of Gym write the messages themselves, in their own files.',
    when: 'rollout',
  },
  ({ input }, { context }) =>
    context.isDataset && (input === '' || (isList(input) && (input as unknown[]).length === 0))
      ? { subject: 'input', problem: 'has no message', fix: 'write the prompt' }
      : undefined,
);

const ROLES = ['user', 'assistant', 'system', 'developer'];

const content = onItem(
  {
    code: 'row-input-null',
    severity: 'error',
    rule: 'A message has a content: a string or a list of parts',
    why: 'Gym mistakes a message without content for a listing of MCP tools, and the model server fails (500).',
    when: 'rollout',
  },
  (item) =>
    isMessage(item) && ROLES.includes(item.role as string) && !isText(item.content) && !isList(item.content)
      ? { problem: `has content ${shown(item.content)}`, fix: 'write a string; leave out a message without text' }
      : undefined,
);

const role = onItem(
  {
    code: 'row-input-role',
    severity: 'error',
    rule: `A message has a role: ${ROLES.join(', ')}`,
    why: 'Tool results are items of the type function_call_output (422 or 500).',
    when: 'rollout',
  },
  (item) =>
    isMessage(item) && !ROLES.includes(item.role as string)
      ? { problem: `has role ${shown(item.role)}`, fix: `use one of ${ROLES.join(', ')}` }
      : undefined,
);

/** Whether an item is a message: by its type, or without one, by its role. */
function isMessage(item: Record<string, unknown>): boolean {
  return item.type === 'message' || (item.type === undefined && 'role' in item) || item.type === null;
}

const PARTS: Readonly<Record<string, (part: Record<string, unknown>) => boolean>> = {
  input_text: ({ text }) => isText(text),
  input_image: ({ detail, image_url: url }) =>
    isChoice('low', 'high', 'auto', 'original')(detail) && orNull(isText)(url ?? null),
  input_file: () => true,
  input_video: ({ video_url: url }) => isText(url),
  output_text: ({ text }) => isText(text),
  refusal: ({ refusal }) => isText(refusal),
};

const part = onItem(
  {
    code: 'row-input-chat',
    severity: 'error',
    rule: 'The parts of a content have the shape of the Responses API: input_text with text, input_image with detail, …',
    why: `text and image_url are parts of the Chat API. ${MODEL}`,
    when: 'rollout',
  },
  (item) => {
    if (!isMessage(item) || !isList(item.content)) return undefined;
    for (const one of item.content as unknown[]) {
      if (isRecord(one) && isText(one.type) && Object.hasOwn(PARTS, one.type as string)) {
        if (PARTS[one.type as string]?.(one)) continue;
        return { problem: `has an incomplete part ${shown(one)}`, fix: 'add its text, or detail: auto for an image' };
      }
      const problem = `has a part of type ${shown(isRecord(one) ? one.type : one)}`;
      return { problem, fix: 'use input_text, input_image (with detail) or input_file' };
    }
    return undefined;
  },
);

/** Items that are not messages, and the fields that each needs. Others are accepted as they are. */
const ITEMS: Readonly<Record<string, readonly string[]>> = {
  function_call: ['arguments', 'call_id', 'name'],
  function_call_output: ['call_id'],
  reasoning: ['id'],
};
const OTHER_ITEMS =
  /^(?:(?:mcp|file_search|web_search|computer|image_generation|code_interpreter|local_shell|custom_tool|apply_patch|shell|tool_search)_(?:call|output|call_output|list_tools|approval_request|approval_response)|compaction\w*|additional_tools)$/;

const itemShape = onItem(
  {
    code: 'row-input-item',
    severity: 'error',
    rule: 'An item of input is a message, function_call, function_call_output, reasoning or another of the API',
    why: MODEL,
    when: 'rollout',
  },
  (item) => {
    const { type } = item;
    if (type === undefined || type === null || type === 'message') {
      const isKnown = 'role' in item || 'call_id' in item || 'name' in item || 'summary' in item || 'content' in item;
      return isKnown ? undefined : { problem: 'has neither a role nor a type', fix: 'write a message' };
    }
    const needed = isText(type) ? ITEMS[type as string] : undefined;
    if (needed === undefined) {
      if (isText(type) && OTHER_ITEMS.test(type as string)) return undefined;
      return { problem: `has type ${shown(type)}`, fix: 'write a message: {"role": "user", "content": "…"}' };
    }
    const lacking = needed.find((field) => !isText(item[field]));
    if (lacking === undefined) return undefined;
    return { problem: `of type ${type} has ${lacking} ${shown(item[lacking])}`, fix: `add ${lacking}, a string` };
  },
);

const notObject = onParams(
  {
    code: 'row-input-text',
    severity: 'error',
    rule: 'An item of input is an object',
    why: MODEL,
    when: 'rollout',
  },
  ({ input }) => {
    if (!Array.isArray(input)) return undefined;
    const at = input.findIndex((item: unknown) => !isRecord(item));
    if (at === -1) return undefined;
    return {
      subject: `input[${at}]`,
      problem: `is ${shown(input[at])}`,
      fix: 'write {"role": "user", "content": "…"}',
    };
  },
);

/** A rule about the items of `input` that are objects; it reports the first that breaks it. */
function onItem(
  text: Parameters<typeof onParams>[0],
  judge: (item: Record<string, unknown>) => Omit<FoundInRow, 'subject'> | undefined,
): Rule<RowFacts> {
  return onParams(text, ({ input }) => {
    if (!Array.isArray(input)) return undefined;
    for (let at = 0; at < input.length; at += 1) {
      const found = isRecord(input[at]) ? judge(input[at]) : undefined;
      if (found) return { subject: `input[${at}]`, ...found };
    }
    return undefined;
  });
}

export const INPUT_RULES: readonly Rule<RowFacts>[] = [
  key,
  value,
  missing,
  empty,
  notObject,
  content,
  role,
  part,
  itemShape,
];
