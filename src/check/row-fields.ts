import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../json/guards.js';
import type { FieldChange } from './difference.js';

export type Row = Record<string, unknown>;

/** The difference between two rows with the same content: white space, the order of keys, or 1.0 instead of 1. */
export const FORMATTING: FieldChange[] = [{ field: 'JSON formatting', before: null, after: null }];

/** The differences between two rows of one task, by prompt, tool and key. */
export function rowFields(before: Row, after: Row): FieldChange[] {
  const [{ input: inputBefore, tools: toolsBefore, ...paramsBefore }, restBefore] = split(before);
  const [{ input: inputAfter, tools: toolsAfter, ...paramsAfter }, restAfter] = split(after);
  const changes = [
    ...promptChanges(inputBefore, inputAfter),
    ...toolChanges(toolsBefore, toolsAfter),
    ...memberChanges(paramsBefore, paramsAfter),
    ...memberChanges(restBefore, restAfter),
  ];
  return changes.length > 0 ? changes : FORMATTING;
}

function split({ responses_create_params: params, ...rest }: Row): [Row, Row] {
  return [isRecord(params) ? params : {}, rest];
}

const ROLES: Record<string, string> = { user: 'prompt', system: 'system prompt' };

export function promptChanges(before: unknown, after: unknown): FieldChange[] {
  const [b, a] = [byRole(before), byRole(after)];
  if (b === null || a === null) return changed('input', before, after);
  const roles = [...new Set([...Object.keys(b), ...Object.keys(a)])];
  const changes = roles.flatMap((role) => changed(ROLES[role] ?? `${role} message`, b[role], a[role]));
  return changes.length > 0 ? changes : changed('input', before, after);
}

/** The content of each message by its role; null if a role occurs twice. */
function byRole(input: unknown): Record<string, unknown> | null {
  if (!Array.isArray(input)) return null;
  const found: Record<string, unknown> = {};
  for (const message of input) {
    if (!isRecord(message) || typeof message.role !== 'string' || message.role in found) return null;
    found[message.role] = message.content;
  }
  return found;
}

export function toolChanges(before: unknown, after: unknown): FieldChange[] {
  const [b, a] = [byName(before), byName(after)];
  if (b === null || a === null) return changed('tools', before, after);
  const changes = [...new Set([...b.keys(), ...a.keys()])].flatMap((name) => {
    const [one, other] = [b.get(name), a.get(name)];
    if (one === undefined || other === undefined) return changed(`tool '${name}'`, one, other);
    return memberChanges(one, other).map((change) => ({ ...change, field: `tool '${name}': ${change.field}` }));
  });
  return changes.length > 0 ? changes : changed('order of the tools', [...b.keys()], [...a.keys()]);
}

function byName(tools: unknown): Map<string, Row> | null {
  if (!Array.isArray(tools)) return null;
  const found = new Map<string, Row>();
  for (const tool of tools) {
    if (!isRecord(tool) || typeof tool.name !== 'string' || found.has(tool.name)) return null;
    found.set(tool.name, tool);
  }
  return found;
}

export function memberChanges(before: Row, after: Row): FieldChange[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => changed(key, before[key], after[key]));
}

function changed(field: string, before: unknown, after: unknown): FieldChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [one, other] = cutAround(text(before), text(after));
  return [{ field, before: before === undefined ? null : one, after: after === undefined ? null : other }];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Characters that are kept before the first difference. */
const BEFORE = 24;

/** Cuts two different texts to the part around the first difference. `…` marks the cuts. */
export function cutAround(one: string, other: string, length = 72): [string, string] {
  if (one.length <= length && other.length <= length) return [one, other];
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const start = Math.max(0, at - BEFORE);
  return [cut(one, start, length), cut(other, start, length)];
}

function cut(text: string, start: number, length: number): string {
  const part = text.slice(start, start + length);
  return `${start > 0 ? '…' : ''}${part}${start + length < text.length ? '…' : ''}`;
}
