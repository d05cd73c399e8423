import { parse } from 'lossless-json';
import { UserError } from '../errors.js';
import { isRecord } from '../json/guards.js';
import { type Answer, excerpt } from '../openenv/index.js';
import { isSecret, observationText, valueText } from './observation-text.js';

export interface PromptOptions {
  /** What the job is; what the environment shows comes below it. */
  text?: string;
  /** The fields that are shown, with dots between their parts; else what `chosen` takes. */
  fields: readonly string[];
}

export const FOUND_PROMPT: PromptOptions = { fields: [] };

/** What an episode shows when it begins. */
export interface Start {
  observation: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

export interface Prompt {
  prompt: string;
  systemPrompt: string | null;
  /** Where it is from, in words; null where nothing says what the job is. */
  from: string | null;
}

/** Where authors put what is to be done. */
const USUAL = ['prompt', 'instruction', 'question', 'task_prompt', 'task', 'goal'];

/** @throws RangeError where it is nested deeper than can be read */
export function startOf({ frame }: Answer): Start {
  const { data } = parse(frame) as { data: Record<string, unknown> };
  const observation = isRecord(data.observation) ? data.observation : {};
  const metadata = [data.metadata, observation.metadata].find(isRecord) ?? {};
  return { observation, metadata };
}

/**
 * The prompt of an episode from what it shows: the fields that were asked for; else, where the user says what the job is, the
 * observation; else the field that authors use for it; else the observation.
 * @throws UserError where there is nothing to show, or no such field
 */
export function promptOf(start: Start, { text, fields }: PromptOptions): Prompt {
  const usual = fields.length === 0 && text === undefined ? usualField(start) : undefined;
  if (usual) return usual;
  const shown =
    fields.length > 0
      ? fields.map((field) => fieldText(start, field)).join('\n\n')
      : observationText(start.observation);
  const prompt = [text, shown].filter((part) => part).join('\n\n');
  if (prompt === '') throw nothing(start);
  const from = fields.length > 0 ? fields.join(', ') : 'the observation';
  if (text === undefined) return { prompt, systemPrompt: null, from: fields.length > 0 ? from : null };
  return { prompt, systemPrompt: null, from: shown === '' ? '--prompt' : `--prompt, and ${from} below it` };
}

function usualField({ observation, metadata }: Start): Prompt | undefined {
  for (const [place, fields] of [
    ['', observation],
    ['metadata.', metadata],
  ] as const) {
    const name = USUAL.find((key) => typeof fields[key] === 'string' && fields[key] !== '');
    if (name === undefined) continue;
    const { system_prompt: system } = fields;
    const systemPrompt = typeof system === 'string' && system !== '' ? valueText(system) : null;
    return { prompt: valueText(fields[name]), systemPrompt, from: `${place}${name}` };
  }
  return undefined;
}

function fieldText(start: Start, field: string): string {
  const path = field.replace(/^observation\./, '').split('.');
  if (path.some(isSecret)) {
    throw new UserError(`--prompt-field ${field}: that is what the model is to find out`, { fix: fix(start) });
  }
  let value: unknown = { ...start.observation, metadata: start.metadata };
  for (const key of path) {
    const holds = (isRecord(value) || Array.isArray(value)) && Object.hasOwn(value, key);
    value = holds ? (value as Record<string, unknown>)[key] : undefined;
  }
  if (field === 'metadata' || value === undefined) {
    const what = field === 'metadata' ? 'metadata as a whole is not for models' : 'there is no such field';
    throw new UserError(`--prompt-field ${field}: ${what}`, { fix: fix(start) });
  }
  return valueText(value);
}

function nothing(start: Start): UserError {
  return new UserError('a reset shows nothing that could be a prompt', {
    fix: `say what the job is with --prompt TEXT, or choose what is shown with --prompt-field; ${fix(start)}`,
  });
}

function fix({ observation, metadata }: Start): string {
  const names = [
    ...Object.keys(observation).filter((key) => key !== 'metadata'),
    ...Object.keys(metadata).map((key) => `metadata.${key}`),
  ].filter((name) => !isSecret(name.replace(/^metadata\./, '')));
  return `the fields are: ${excerpt(names.slice(0, 40).join(', '), 600) || 'none'}`;
}
