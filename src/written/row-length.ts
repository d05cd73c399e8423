import { isRecord } from '../json/guards.js';

/** An estimate for English text and JSON. */
export const CHARACTERS_PER_TOKEN = 4;

/** Lengths in characters. */
export interface RowLength {
  /** Messages, without the tools. */
  prompt: number;
  /** JSON of the tools. */
  tools: number;
}

/** Measures what a model reads of a row before its first reply. */
export function rowLength(row: Record<string, unknown>): RowLength {
  const { input, tools } = isRecord(row.responses_create_params) ? row.responses_create_params : {};
  const messages = Array.isArray(input) ? input : [];
  return {
    prompt:
      typeof input === 'string'
        ? input.length
        : messages.reduce<number>((sum, message) => sum + (isRecord(message) ? contentLength(message.content) : 0), 0),
    tools: tools === undefined ? 0 : JSON.stringify(tools).length,
  };
}

function contentLength(content: unknown): number {
  if (typeof content === 'string') return content.length;
  const parts = Array.isArray(content) ? content : [];
  return parts.reduce<number>((sum, part) => {
    return sum + (isRecord(part) && typeof part.text === 'string' ? part.text.length : 0);
  }, 0);
}

/** Estimates the tokens of a row at 4 characters per token. */
export function tokensOf({ prompt, tools }: RowLength): number {
  return Math.ceil((prompt + tools) / CHARACTERS_PER_TOKEN);
}
