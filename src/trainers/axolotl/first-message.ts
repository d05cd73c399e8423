import { createHash } from 'node:crypto';
import { isRecord } from '../../json/guards.js';

/**
 * The key by which Axolotl finds a row: the content of the first user message, otherwise of the last message, otherwise
 * "" (dataset.py:93-101 of axolotl 0.21.0).
 */
export function firstMessage(row: Record<string, unknown>): unknown {
  const input = isRecord(row.responses_create_params) ? (row.responses_create_params.input ?? []) : [];
  if (!Array.isArray(input)) return '';
  const messages = input.map((message) => (isRecord(message) ? message : {}));
  const user = messages.find(({ role }) => role === 'user');
  return isFilled(user?.content) ? user?.content : (messages.at(-1)?.content ?? '');
}

/** Python's truth value. */
function isFilled(content: unknown): boolean {
  return Array.isArray(content) ? content.length > 0 : Boolean(content);
}

/** A hash of fixed length, because a file may have a million rows. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 16);
}
