import path from 'node:path';
import { formatCount } from '../../display-text.js';
import { namesOf } from '../../gym/index.js';
import type { Generated } from '../../operations/generate.js';
import type { UpdateReport } from '../../operations/update.js';
import { hasTurns, type WriteReport, type WriteRequest } from '../../operations/write.js';
import type { Edits } from '../../output/index.js';
import { shellQuote } from '../../printed-command.js';
import type { UpdateDocument, WriteDocument } from '../documents.js';
import { gymgenChange } from './check.js';
import { differenceLines } from './difference.js';
import { stateMark, type Terminal } from './terminal.js';

/**
 * Shows what was written and the next steps.
 * @param serve command that serves the environment for Gym
 */
export function showWrite(report: WriteReport, request: WriteRequest, terminal: Terminal, serve?: string): void {
  const folder = path.join(request.gymRoot, namesOf(report.name).folder);
  if (request.dryRun) showPlan(report, terminal);
  else terminal.result(`${report.changed ? 'wrote' : 'unchanged'} ${folder}`);
  for (const line of contents(report)) terminal.note(`  ${line}`);
  if (!request.dryRun)
    for (const path of removed(report)) terminal.note(`  removed ${path}, which is no longer generated`);
  for (const note of report.notes) terminal.note(`  ${note}`);
  showKept(report, terminal);
  if (hasTurns(report)) for (const line of TURNS) terminal.note(line);
  if (!request.dryRun) for (const line of next(report, request, serve ?? report.serve)) terminal.note(line);
  const { sessions, requests, bytes } = report.counts;
  terminal.detail(`${requests} requests, ${bytes} bytes, ${sessions} sessions`);
  terminal.document(document(report, request, folder));
}

const TURNS = [
  '  Some tasks have several turns, and the model must call end_turn to end one. Tell the model in its system prompt:',
  "    --append-system-prompt 'End each of your turns by calling end_turn with your reply.'",
];

function contents({ rows, toolsets }: WriteReport): string[] {
  const width = Math.max(...rows.map(({ split }) => Math.min(split.length, 32)));
  return [
    ...rows.map(
      ({ split, rows: count }) =>
        `data/${`${split}.jsonl`.padEnd(width + 6)}  ${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`,
    ),
    `${toolsets.length} ${toolsets.length === 1 ? 'toolset' : 'toolsets'}: ${toolsets
      .slice(0, 8)
      .map(({ tools }) => tools.join(', ') || 'no tools')
      .join(' | ')}${toolsets.length > 8 ? ' | …' : ''}`,
  ];
}

function removed({ changed, plan }: WriteReport): string[] {
  return changed ? plan.entries.filter(({ state }) => state === 'stale').map(({ path }) => path) : [];
}

function next({ name, rows }: WriteReport, { gymRoot }: WriteRequest, serve: string | undefined): string[] {
  const names = namesOf(name);
  const root = path.resolve(gymRoot);
  const config = path.join(root, names.folder, names.config);
  const smallest = rows.reduce((a, b) => (b.rows < a.rows ? b : a));
  const data = path.join(root, names.folder, names.rows(smallest.split));
  return [
    '',
    'Next, with NeMo Gym 0.7 and a model server (details in the README.md of the folder):',
    ...(serve ? [`  ${serve}    # in another terminal`] : []),
    `  export NEMO_GYM_EXTRA_ROOTS=${shellQuote(root)}`,
    `  gym env start --config ${shellQuote(config)} --model-type vllm_model --model MODEL --model-url http://127.0.0.1:8001/v1 --model-api-key dummy`,
    `  gym eval run --no-serve --agent ${names.agent} --input ${shellQuote(data)} --output rollouts.jsonl --concurrency 16`,
  ];
}

function showPlan({ plan, row }: WriteReport, terminal: Terminal): void {
  for (const { path, state, note } of plan.entries) {
    terminal.result(` ${path}${note ? ` (${note})` : ''}`, stateMark(state));
  }
  if (row !== null) for (const line of ['', 'one row:', row]) terminal.result(line);
}

/** The row is the text of its line: as a JSON value, numbers would lose their spelling. */
function document(report: WriteReport, request: WriteRequest, folder: string): WriteDocument {
  const { name, envName, changed, rows, toolsets, notes, warnings, kept, plan, row, counts } = report;
  const status = request.dryRun ? 'planned' : changed ? 'wrote' : 'unchanged';
  const found = { rows, toolsets, notes: [...notes], warnings: [...warnings], kept: { ...kept }, counts };
  const base = { status, folder, name, environment: envName, ...found } as const;
  return request.dryRun ? { ...base, plan: plan.entries, row } : base;
}

/** Shows which files were written and which manual edits were kept. */
export function showUpdate(report: UpdateReport, gymRoot: string, edits: Edits, terminal: Terminal): void {
  const { name, changed, edited, keptPrompts } = report;
  terminal.result(`${changed ? 'wrote' : 'unchanged'} ${path.join(gymRoot, namesOf(name).folder)}`);
  const { generator, entries } = report.plan;
  const files = entries.filter(({ isGymgenChange }) => isGymgenChange).length;
  if (generator) terminal.note(`  ${gymgenChange(generator)} ${files} files`);
  showKept(report, terminal);
  if (keptPrompts > 0) terminal.note(`  kept your prompts in ${keptPrompts} ${keptPrompts === 1 ? 'row' : 'rows'}`);
  for (const difference of edited) {
    terminal.note(`  kept ${difference.path}, edited by hand${difference.note ? ` (${difference.note})` : ''}`);
    for (const line of differenceLines(difference)) terminal.note(`    ${line}`);
  }
  if (edited.length > 0 && edits === 'keep') for (const line of EDITED) terminal.note(line);
}

const EDITED = [
  '  --theirs records these edits, so that check accepts them',
  '  --force overwrites them; with --keep-prompts, edited prompts are kept',
];

export function updateEntry(report: UpdateReport): UpdateDocument['folders'][number] {
  const { name, folder, changed, rows, kept, keptPrompts, edited, plan } = report;
  const { generator } = plan;
  const status = changed ? ('wrote' as const) : ('unchanged' as const);
  return { name, folder, status, ...(generator && { generator }), rows, kept: { ...kept }, keptPrompts, edited };
}

function showKept({ kept }: Generated, terminal: Terminal): void {
  for (const [key, value] of Object.entries(kept)) terminal.note(`  kept ${key}: ${value}, from the config`);
}
