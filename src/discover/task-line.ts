import type { JsonText } from '../model.js';
import { jsonFault } from '../rules/json-text.js';

/** What a line of a tasks file says. */
export interface TaskLine {
  reset: JsonText;
  prompt?: string;
  systemPrompt?: string;
  split?: string;
  id?: string;
}

/** The values of a line by key, each as JSON. */
export type Values = ReadonlyMap<string, JsonText>;

/** Keys that say something of the row; all others are arguments of the reset, where none is called `reset`. */
const OWN = ['prompt', 'system_prompt', 'split', 'id'];

/** A line that is no task. */
export class BadLine extends Error {}

/** @throws BadLine */
export function readTaskLine(values: Values): TaskLine {
  const reset = resetOf(values);
  const fault = jsonFault(reset);
  if (fault !== undefined) throw new BadLine(`its reset ${fault}`);
  const prompt = text(values, 'prompt');
  const systemPrompt = text(values, 'system_prompt');
  const split = text(values, 'split');
  const id = idOf(values);
  return {
    reset,
    ...(prompt === undefined ? {} : { prompt }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(split === undefined ? {} : { split }),
    ...(id === undefined ? {} : { id }),
  };
}

function resetOf(values: Values): JsonText {
  const others = [...values].filter(([key]) => !OWN.includes(key) && key !== 'reset');
  const reset = values.get('reset');
  if (reset === undefined) return `{${others.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
  if (!reset.startsWith('{')) throw new BadLine('its reset is no object of keyword arguments');
  if (others.length === 0) return reset;
  const keys = others.map(([key]) => `'${key}'`).join(', ');
  throw new BadLine(`it has ${keys} beside reset, ${OWN.join(', ')}: an argument of the reset belongs into reset`);
}

/** A text that there need not be. */
function text(values: Values, key: string): string | undefined {
  const value: unknown = JSON.parse(values.get(key) ?? 'null');
  if (value === null) return undefined;
  if (typeof value !== 'string') throw new BadLine(`its ${key} is no string`);
  if (value === '') throw new BadLine(`its ${key} is empty`);
  return value;
}

function idOf(values: Values): string | undefined {
  const json = values.get('id') ?? 'null';
  return /^-?\d+$/.test(json) ? json : text(values, 'id');
}
