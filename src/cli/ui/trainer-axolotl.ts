import { formatCount } from '../../display-text.js';
import type { TrainerAxolotlDocument } from '../../documents/schemas/trainer.js';
import type { TrainerAxolotlReport } from '../../operations/trainer-axolotl.js';
import { commandAgain } from '../../printed-command.js';
import type { Terminal } from './terminal.js';

type DataFile = TrainerAxolotlReport['data'][number];

/** Whether Axolotl trains on all rows as they are. */
export function isFine({ fix, data }: TrainerAxolotlReport): boolean {
  return fix || data.every(({ findings }) => findings.length === 0);
}

/** Shows what Axolotl's loader does to the rows, what was written, and how to start the training. */
export function showTrainerAxolotl(report: TrainerAxolotlReport, terminal: Terminal): void {
  const { status, folder, files, rowFiles, data, fix, plan, steps } = report;
  for (const file of data) showData(file, fix, terminal);
  const [config] = files;
  if (status === 'planned') for (const line of (config?.text ?? '').trimEnd().split('\n')) terminal.result(line);
  else terminal.result(`wrote ${folder}`);
  for (const { path } of [...files, ...rowFiles]) terminal.note(`  ${path}`);
  terminal.note(
    `sequences of up to ${formatCount(plan.sequenceLength)} tokens, ${formatCount(plan.runTimeout)} s for a rollout`,
  );
  if (!isFine(report)) terminal.note(`To fix the rows: ${commandAgain(['--fix'])}`);
  terminal.note('');
  terminal.note('Next, each in a terminal of its own:');
  for (const { title, commands } of steps) {
    terminal.note(`  # ${title}`);
    for (const command of commands) terminal.note(`  ${command}`);
  }
  terminal.document(documentOf(report));
}

function showData({ split, rows, over, findings }: DataFile, fix: boolean, terminal: Terminal): void {
  const state = findings.length === 0 ? 'unchanged by the loader' : fix ? 'fixed' : 'damaged by the loader';
  terminal.note(`${split}: ${formatCount(rows)} rows, ${state}`);
  for (const { problem, code, rows: lines } of findings) {
    const text = `${split}: ${linesText(lines)} ${problem} [${code}]`;
    if (fix) terminal.detail(text);
    else terminal.warn(text);
  }
  if (over > 0) {
    terminal.warn(`${split}: ${formatCount(over)} rows exceed the maximum sequence length; vLLM rejects them`);
  }
}

/** `lines 1, 2 and 198 others`: each of them has the problem. */
function linesText({ count, first }: DataFile['findings'][number]['rows']): string {
  const others = count - first.length;
  const named = first.join(', ');
  const lines = count === 1 ? `line ${named}` : `lines ${named}`;
  return `${others > 0 ? `${lines} and ${formatCount(others)} others` : lines}:`;
}

function documentOf(report: TrainerAxolotlReport): TrainerAxolotlDocument {
  const { status, form, names, folder, files, rowFiles, fix, train, data, plan, agents, steps } = report;
  return {
    status,
    form,
    name: names.server,
    folder,
    files: [...files, ...rowFiles].map(({ path }) => path),
    ...(status === 'planned' && files[0] ? { config: files[0].text } : {}),
    fixed: fix,
    train,
    data: data.map(({ split, rows, over, findings }) => ({
      split,
      rows,
      overLength: over,
      findings: findings.map(({ isFatal, ...finding }) => ({ ...finding, fatal: isFatal })),
    })),
    model: plan.model,
    toolParser: plan.toolParser,
    maxTotalSequenceLength: plan.sequenceLength,
    runTimeout: plan.runTimeout,
    ...(agents ? { agents } : {}),
    steps,
  };
}
