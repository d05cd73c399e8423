import { parse } from 'lossless-json';
import { UserError } from '../../errors.js';
import { isRecord } from '../../json/guards.js';
import { type Answer, excerpt } from '../../openenv/index.js';
import { isSecret, observationText, valueText } from './observation-text.js';

export interface PromptOptions {
  /** A description of the job. The text of the observation follows it. */
  text?: string;
  /** Fields to show, as paths with dots; if empty, `promptOf` chooses. */
  fields: readonly string[];
}

export const DEFAULT_PROMPT: PromptOptions = { fields: [] };

/** What a reset shows. */
export interface Start {
  observation: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

export interface Prompt {
  prompt: string;
  systemPrompt: string | null;
  /** The source of the prompt, for messages; null if no field describes the job. */
  from: string | null;
}

/** Fields in which environments describe the job, by priority. */
const PROMPT_FIELDS = ['prompt', 'instruction', 'question', 'task_prompt', 'task', 'goal'];

/** @throws RangeError if the observation is nested too deeply */
export function readStart({ frame }: Answer): Start {
  const { data } = parse(frame) as { data: Record<string, unknown> };
  const observation = isRecord(data.observation) ? data.observation : {};
  const metadata = [data.metadata, observation.metadata].find(isRecord) ?? {};
  return { observation, metadata };
}

/**
 * The prompt of an episode: the chosen fields; or the user's description of the job and the observation; or the field in which
 * environments describe the job; or the observation.
 * @throws UserError if there is nothing to show, or no such field
 */
export function promptOf(start: Start, { text, fields }: PromptOptions): Prompt {
  const found = fields.length === 0 && text === undefined ? findPrompt(start) : undefined;
  if (found) return found;
  const shown =
    fields.length > 0
      ? fields.map((field) => fieldText(start, field)).join('\n\n')
      : observationText(start.observation);
  const prompt = [text, shown].filter((part) => part).join('\n\n');
  if (prompt === '') {
    throw new UserError('the reset shows nothing to use as a prompt', {
      fix: `describe the job with --prompt TEXT, or show a field with --prompt-field; ${listFields(start)}`,
    });
  }
  const from = fields.length > 0 ? fields.join(', ') : 'the observation';
  if (text === undefined) return { prompt, systemPrompt: null, from: fields.length > 0 ? from : null };
  return { prompt, systemPrompt: null, from: shown === '' ? '--prompt' : `--prompt, followed by ${from}` };
}

function findPrompt({ observation, metadata }: Start): Prompt | undefined {
  for (const [place, fields] of [
    ['', observation],
    ['metadata.', metadata],
  ] as const) {
    const name = PROMPT_FIELDS.find((key) => typeof fields[key] === 'string' && fields[key] !== '');
    if (name === undefined) continue;
    const { system_prompt: system } = fields;
    const systemPrompt = typeof system === 'string' && system !== '' ? valueText(system) : null;
    return { prompt: valueText(fields[name]), systemPrompt, from: `${place}${name}` };
  }
  return undefined;
}

function fieldText(start: Start, field: string): string {
  const refused = (why: string) => new UserError(`--prompt-field ${field}: ${why}`, { fix: listFields(start) });
  const path = field.replace(/^observation\./, '').split('.');
  if (path.some(isSecret)) throw refused('the field gives the answer away');
  if (field === 'metadata') throw refused('metadata cannot be shown as a whole');
  let value: unknown = { ...start.observation, metadata: start.metadata };
  for (const key of path) {
    const holds = (isRecord(value) || Array.isArray(value)) && Object.hasOwn(value, key);
    value = holds ? (value as Record<string, unknown>)[key] : undefined;
  }
  if (value === undefined) throw refused('no such field');
  return valueText(value);
}

function listFields({ observation, metadata }: Start): string {
  const names = [
    ...Object.keys(observation).filter((key) => key !== 'metadata'),
    ...Object.keys(metadata).map((key) => `metadata.${key}`),
  ].filter((name) => !isSecret(name.replace(/^metadata\./, '')));
  return `choose from: ${excerpt(names.slice(0, 40).join(', '), 600) || 'none'}`;
}
