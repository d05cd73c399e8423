import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { type ReportRequest, report } from '../../src/operations/report.js';
import type { Report } from '../../src/report/index.js';

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes lines to a file: objects as JSON, texts as they are. */
export function linesFile(path: string, lines: readonly (object | string)[]): string {
  writeFileSync(path, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  return path;
}

/** A rollout with one message, with the changes of a test. */
export function simpleRollout(more: object = {}): Record<string, unknown> {
  return {
    responses_create_params: { input: [{ role: 'user', content: 'Day 0' }], tools: [{ name: 'end_turn' }] },
    agent_ref: { name: 'agent' },
    split: 'train',
    index: 0,
    task_id: 'day-0',
    reward: 0.5,
    mask_sample: false,
    response: { output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] }] },
    ...more,
  };
}

/** A rollout that calls tools by these names. */
export function calling(names: readonly string[], more: object = {}): Record<string, unknown> {
  const output = names.flatMap((name, at) => [
    { type: 'function_call', call_id: `c${at}`, name, arguments: '{}' },
    { type: 'function_call_output', call_id: `c${at}`, output: 'done' },
  ]);
  return simpleRollout({ response: { output }, ...more });
}

export async function reported(request: Partial<ReportRequest> & Pick<ReportRequest, 'inputs'>): Promise<Report> {
  const file = join(tempFolder(), 'report.html');
  return report({ file, force: false, ...request }, () => {}, new AbortController().signal);
}

export interface PageParts {
  html: string;
  /** The page without its data. */
  markup: string;
  index: Record<string, unknown>;
  /** Conversations by block. */
  blocks: { entries: { kind: string; text: string; cut?: number; end?: string }[] }[][];
}

/** Takes a page apart. */
export function partsOf(path: string): PageParts {
  const html = readFileSync(path, 'utf8');
  const data = [...html.matchAll(/<script type="text\/plain" id="([\w-]+)">([^<]*)<\/script>/g)];
  const unpacked = data.map(([, id, base64]) => {
    return [id, JSON.parse(inflateRawSync(Buffer.from(base64 as string, 'base64')).toString())] as const;
  });
  return {
    html,
    markup: html.replace(/<script[\s\S]*?<\/script>/g, '').replace(/<style>[\s\S]*?<\/style>/g, ''),
    index: unpacked.find(([id]) => id === 'index')?.[1],
    blocks: unpacked.filter(([id]) => id !== 'index').map(([, block]) => block),
  };
}
