import type { Task } from '../discover/types.js';
import { isText } from '../json-string.js';
import type { Finding } from './finding.js';
import { jsonFault } from './json-text.js';
import { quote, wellFormed } from './text.js';

const NONE: readonly Finding[] = [];

/**
 * `row-…`: texts of a task that a row of Gym can hold. Gym's index-only rejections come minutes into a run, so each names
 * its task and field (`NeMoGymResponseCreateParamsNonStreaming`, nemo_gym/openai_utils.py; orjson).
 */
export function row(task: Task): readonly Finding[] {
  const { prompt, systemPrompt, id } = task;
  if (
    // A raw text is long and valid UTF-8.
    isText(prompt) &&
    (typeof prompt !== 'string' || (prompt !== '' && wellFormed(prompt))) &&
    (systemPrompt === null || (typeof systemPrompt === 'string' && wellFormed(systemPrompt))) &&
    typeof id === 'string' &&
    id !== '' &&
    wellFormed(id) &&
    (task.reset === undefined || jsonFault(task.reset) === undefined)
  ) {
    return NONE;
  }
  return faults(task);
}

function faults(task: Task): Finding[] {
  const where = `task ${task.split}[${task.index}] ${typeof task.id === 'string' ? quote(task.id) : ''}`.trimEnd();
  const refuse = (code: string, what: string): Finding => ({
    code,
    where,
    what,
    fix:
      task.reset === undefined
        ? 'mend the task on the server, or leave its split out: --split with the names of the others'
        : 'mend it in the tasks file, or leave its split out: --split with the names of the others',
  });
  const fault = task.reset === undefined ? undefined : jsonFault(task.reset);
  return [
    ...(isText(task.prompt) && typeof task.prompt !== 'string' ? [] : text('prompt', task.prompt, false)),
    ...text('system prompt', task.systemPrompt ?? '', true),
    ...text('id', task.id, false),
    ...(fault === undefined ? [] : [['row-reset', `its reset ${fault}`] as [string, string]]),
  ].map(([code, what]) => refuse(code, what));
}

function text(field: string, value: unknown, mayBeEmpty: boolean): [code: string, what: string][] {
  const code = `row-${field.replace(' ', '-')}`;
  if (typeof value !== 'string') return [[code, `its ${field} is not a string`]];
  if (value === '' && !mayBeEmpty) return [[code, `its ${field} is empty`]];
  if (!wellFormed(value)) return [[code, `its ${field} has a lone surrogate, which is no UTF-8`]];
  return [];
}

/** `prompt-text`: what is added to every row's system prompt. */
export function promptText(appended: string): Finding[] {
  if (wellFormed(appended)) return [];
  return [
    {
      code: 'prompt-text',
      where: '--append-system-prompt',
      what: 'has a lone surrogate, which is no UTF-8',
      fix: 'give it as UTF-8',
    },
  ];
}
