import { isUndecoded } from '../json/json-string.js';
import type { Task } from '../model.js';
import { error, type Finding, LONE_SURROGATE, OMIT_SPLIT, quote } from './finding.js';
import { jsonProblem } from './json-text.js';

/** Levels of a row around the arguments of a reset. */
export const RESET_LEVEL = 1;

const NONE: readonly Finding[] = [];

/**
 * `row-prompt`, `row-system-prompt`, `row-id`, `row-reset`: texts that a row can contain
 * (`NeMoGymResponseCreateParamsNonStreaming`, nemo_gym/openai_utils.py, and orjson). Gym would report only the number of the
 * row, minutes into a run.
 */
export function row(task: Task): readonly Finding[] {
  const { prompt, systemPrompt, id, reset } = task;
  const isPrompt = isUndecoded(prompt) || textFault(prompt) === undefined;
  const isSystemPrompt = systemPrompt === null || textFault(systemPrompt, MAY_BE_EMPTY) === undefined;
  const isReset = reset === undefined || jsonProblem(reset, RESET_LEVEL) === undefined;
  return isPrompt && isSystemPrompt && textFault(id) === undefined && isReset ? NONE : findings(task);
}

/** Called only for an invalid task, so that `row` itself allocates nothing. */
function findings(task: Task): Finding[] {
  const { id, prompt, systemPrompt, reset } = task;
  const subject = taskName(task);
  const place = reset === undefined ? 'the task on the server' : 'the tasks file';
  const faults: [field: string, fault: string | undefined][] = [
    ['prompt', isUndecoded(prompt) ? undefined : textFault(prompt)],
    ['system prompt', systemPrompt === null ? undefined : textFault(systemPrompt, MAY_BE_EMPTY)],
    ['id', textFault(id)],
    ['reset', reset === undefined ? undefined : jsonProblem(reset, RESET_LEVEL)],
  ];
  return faults.flatMap(([field, fault]) => {
    if (fault === undefined) return [];
    const code = `row-${field.replace(' ', '-')}`;
    return [error(code, subject, `its ${field} ${fault}`, `fix ${place}, or omit its split: ${OMIT_SPLIT}`)];
  });
}

/** A task in a finding. */
export function taskName({ split, index, id }: Pick<Task, 'split' | 'index' | 'id'>): string {
  return `task ${split}[${index}] ${typeof id === 'string' ? quote(id) : ''}`.trimEnd();
}

const MAY_BE_EMPTY = true;

function textFault(value: unknown, mayBeEmpty = false): string | undefined {
  if (typeof value !== 'string') return 'is not a string';
  if (value === '' && !mayBeEmpty) return 'is empty';
  return value.isWellFormed() ? undefined : LONE_SURROGATE;
}

/** `prompt-text`: the text that is appended to every system prompt. */
export function promptText(appended: string): Finding[] {
  if (appended.isWellFormed()) return [];
  return [error('prompt-text', '--append-system-prompt', LONE_SURROGATE, 'pass it as UTF-8')];
}
