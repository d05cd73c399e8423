import path from 'node:path';
import { formatCount } from '../../display-text.js';
import { namesOf } from '../../gym/index.js';
import { hasTurns, type WriteReport, type WriteRequest } from '../../operations/write.js';
import { shellQuote } from '../../printed-command.js';
import { stateMark } from './states.js';
import type { Terminal } from './terminal.js';

/**
 * Shows what was written and how to go on.
 * @param serve the command that serves the environment for Gym, where gymgen has one
 */
export function showReport(report: WriteReport, request: WriteRequest, terminal: Terminal, serve?: string): void {
  const folder = path.join(request.gymRoot, namesOf(report.name).folder);
  if (request.dryRun) showPlan(report, terminal);
  else terminal.result(`${report.changed ? 'wrote' : 'unchanged'} ${folder}`);
  for (const line of contents(report)) terminal.note(`  ${line}`);
  if (!request.dryRun)
    for (const path of removed(report)) terminal.note(`  removed ${path}, which was of an earlier run`);
  for (const note of report.notes) terminal.note(`  ${note}`);
  for (const [key, value] of Object.entries(report.kept))
    terminal.note(`  kept ${key}: ${value}, as the config has it`);
  if (hasTurns(report)) for (const line of TURNS) terminal.note(line);
  if (!request.dryRun) for (const line of next(report, request, serve ?? report.serve)) terminal.note(line);
  const { sessions, requests, bytes } = report.counts;
  terminal.detail(`${requests} requests, ${bytes} bytes, ${sessions} sessions`);
  terminal.document(document(report, request, folder));
}

const TURNS = [
  '  Some tasks have several turns. The model ends each with end_turn, so its system prompt should say so:',
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
    'Next, with NeMo Gym 0.7 and a model server (more in the README.md that was written):',
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

/** The row is the text of its line: as a value, it would lose how a schema spells its numbers. */
function document(report: WriteReport, request: WriteRequest, folder: string) {
  const { name, envName, changed, rows, toolsets, notes, warnings, kept, plan, row, counts } = report;
  const status = request.dryRun ? 'planned' : changed ? 'wrote' : 'unchanged';
  const base = { status, folder, name, environment: envName, rows, toolsets, notes, warnings, kept, counts };
  return request.dryRun ? { ...base, plan: plan.entries, row } : base;
}
