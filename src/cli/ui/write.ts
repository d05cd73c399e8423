import path from 'node:path';
import { formatCount } from '../../display-text.js';
import { writeDocument } from '../../documents/write.js';
import { namesOf } from '../../gym/index.js';
import type { DatasetChoice } from '../../model.js';
import type { Generated } from '../../operations/generate.js';
import type { UpdateReport } from '../../operations/update.js';
import { hasTurns, type WriteReport, type WriteRequest } from '../../operations/write.js';
import { gymgenChange } from './check.js';
import { differenceLines, legend } from './difference.js';
import { indentedJson } from './indented-json.js';
import { nextSteps } from './next-steps.js';
import { sentence, stateMark, type Terminal } from './terminal.js';
import { toolsetSummary } from './toolsets.js';

/** Facts about a write that its report does not have. */
export interface WriteContext {
  seconds: number;
  /** Whether `gymgen play --demo` serves the environment. */
  isDemo?: boolean;
}

/** Shows what was written and, after the first write, the next steps. An unchanged folder needs no details. */
export function showWrite(report: WriteReport, request: WriteRequest, context: WriteContext, terminal: Terminal): void {
  const folder = path.join(request.gymRoot, namesOf(report.name).folder);
  if (request.dryRun) showPlan(report, request, folder, terminal);
  else if (report.changed) showWritten(report, request, wrote(folder, context.seconds), terminal);
  else terminal.result(`unchanged ${folder}`);
  if (isFirst(report) && !request.dryRun && !terminal.options.json) {
    const environment = { serve: report.serve, isDemo: context.isDemo ?? false };
    for (const line of nextSteps(request, environment)) terminal.note(line);
  }
  const { sessions, requests, bytes } = report.counts;
  terminal.detail(`${requests} requests, ${bytes} bytes, ${sessions} sessions`);
  terminal.document(writeDocument(report, request));
}

function showWritten(report: WriteReport, request: WriteRequest, result: string, terminal: Terminal): void {
  terminal.result(sentence(result));
  for (const line of contents(report, request)) terminal.note(sentence(`  ${line}`));
  for (const path of removed(report)) terminal.note(`  removed ${path}, which is no longer generated`);
  showDecisions(report, terminal);
}

function showDecisions(report: WriteReport, terminal: Terminal): void {
  for (const note of report.notes) terminal.note(`  ${note}`);
  showKept(report, terminal);
  if (hasTurns(report)) for (const line of TURNS) terminal.note(line);
}

const wrote = (folder: string, seconds: number) => `wrote ${folder} in ${seconds.toFixed(1)} s`;

const TURNS = [
  '  Some tasks have several turns, and the model must call end_turn to end one. Tell the model in its system prompt:',
  "    --append-system-prompt 'End each of your turns by calling end_turn with your reply.'",
];

function contents({ rows, toolsets, datasets }: WriteReport, { gym }: WriteRequest): string[] {
  const width = Math.max(...rows.map(({ split }) => Math.min(split.length, 32)));
  return [
    ...rows.map(
      ({ split, rows: count }) =>
        `data/${`${split}.jsonl`.padEnd(width + 6)}  ${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`,
    ),
    toolsetSummary(toolsets),
    ...datasetLine(datasets, gym.datasets),
  ];
}

function datasetLine(datasets: WriteReport['datasets'], { splits }: DatasetChoice): string[] {
  if (datasets) {
    const { train, validation, license } = datasets;
    const named = Object.entries({ train, validation }).flatMap(([type, split]) =>
      split === undefined ? [] : [`${type} = ${split}`],
    );
    return [`datasets: ${named.join(', ')} (license ${license})`];
  }
  return splits === 'usual' ? ['no datasets: to choose splits for gym eval run --split, pass --datasets'] : [];
}

/** Whether the folder did not exist, so that the user may not know the next step. */
function isFirst({ plan }: WriteReport): boolean {
  return plan.entries.every(({ state }) => state === 'create');
}

function removed({ changed, plan }: WriteReport): string[] {
  return changed ? plan.entries.filter(({ state }) => state === 'stale').map(({ path }) => path) : [];
}

/** The counts come first: the list of files is long. */
function showPlan(report: WriteReport, request: WriteRequest, folder: string, terminal: Terminal): void {
  const { changed, plan, row } = report;
  terminal.result(`${changed ? 'would write' : 'unchanged'} ${folder}`);
  for (const line of contents(report, request)) terminal.result(`  ${line}`);
  for (const { path, state, note } of plan.entries) {
    terminal.result(` ${path}${note ? ` (${note})` : ''}`, stateMark(state));
  }
  if (row !== null) for (const line of ['', 'one row:', ...indentedJson(row)]) terminal.result(line);
  showDecisions(report, terminal);
}

/** Shows which files were written and which manual edits were kept. */
export function showUpdate(
  report: UpdateReport,
  { gymRoot, edits, dryRun }: Pick<WriteRequest, 'gymRoot' | 'edits' | 'dryRun'>,
  seconds: number,
  terminal: Terminal,
): void {
  const { name, changed, edited, keptPrompts } = report;
  const { generator, entries } = report.plan;
  const folder = path.join(gymRoot, namesOf(name).folder);
  if (!changed) terminal.result(`unchanged ${folder}`);
  else terminal.result(dryRun ? `would write ${folder}` : wrote(folder, seconds));
  if (dryRun) {
    const differing = entries.filter(({ state }) => state !== 'same');
    for (const { path, state, note } of differing) {
      terminal.result(` ${path}${note ? ` (${note})` : ''}`, stateMark(state));
    }
  }
  const files = entries.filter(({ isGymgenChange }) => isGymgenChange).length;
  if (generator) terminal.note(`  ${gymgenChange(generator)} ${files} files`);
  showKept(report, terminal);
  if (keptPrompts > 0) terminal.note(`  kept your prompts in ${keptPrompts} ${keptPrompts === 1 ? 'row' : 'rows'}`);
  for (const line of legend(edited)) terminal.note(`  ${line}`);
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

function showKept({ kept }: Generated, terminal: Terminal): void {
  for (const [key, value] of Object.entries(kept)) terminal.note(`  kept ${key}: ${value}, from the config`);
}
