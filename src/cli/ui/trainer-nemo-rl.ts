import { formatCount } from '../../display-text.js';
import type { TrainerNemoRlDocument } from '../../documents/schemas/trainer.js';
import type { TrainerNemoRlReport } from '../../operations/trainer-nemo-rl.js';
import { describe } from '../../rules/index.js';
import type { Environment } from '../../trainers/nemo-rl/index.js';
import type { Terminal } from './terminal.js';

/** The rows of each server. */
export function showServers(servers: readonly Environment[], terminal: Terminal): void {
  for (const { name, train, validation } of servers) {
    const others = validation ? `, validation on ${formatCount(validation.rows)} rows of ${validation.split}` : '';
    terminal.note(`${name}: ${formatCount(train.rows)} rows of ${train.split}${others}`);
  }
}

/** Shows that a file was written; with --dry-run, shows the file. */
export function showFile(
  { status, file, text }: Pick<TrainerNemoRlReport, 'status' | 'file' | 'text'>,
  terminal: Terminal,
): void {
  if (status === 'planned') for (const line of text.trimEnd().split('\n')) terminal.result(line);
  else terminal.result(status === 'wrote' ? `wrote ${file}` : `${file} is up to date`);
}

/** The servers in a document. */
export function serversOf(servers: readonly Environment[]): TrainerNemoRlDocument['servers'] {
  const split = ({ split, rows }: { split: string; rows: number }) => ({ split, rows });
  return servers.map(({ name, train, validation }) => {
    return { name, train: split(train), ...(validation ? { validation: split(validation) } : {}) };
  });
}

/** Shows a config of NeMo RL: what it trains on, what may go wrong, and how to start the run. */
export function showTrainerNemoRl(report: TrainerNemoRlReport, terminal: Terminal): void {
  const { status, file, text, plan, environments, warnings, overLength, commands } = report;
  showServers(environments, terminal);
  terminal.note(
    `${formatCount(plan.rollouts)} rollouts per step (${plan.promptsPerStep} × ${plan.generations}), ` +
      `sequences of up to ${formatCount(plan.length.tokens)} tokens`,
  );
  for (const warning of warnings) terminal.warn(describe(warning));
  for (const { environment, split, line, task, tokens } of overLength.longest) {
    terminal.note(
      `  ${environment} ${split}:${line}${task === undefined ? '' : ` ${task}`}: ${formatCount(tokens)} tokens`,
    );
  }
  showFile({ status, file, text }, terminal);
  terminal.note('');
  terminal.note('Next:');
  for (const command of commands) terminal.note(`  ${command}`);
  terminal.document(documentOf(report));
}

function documentOf(report: TrainerNemoRlReport): TrainerNemoRlDocument {
  const { status, file, text, plan, environments, warnings, overLength, commands } = report;
  const { model, toolParser, promptsPerStep, generations, length } = plan;
  return {
    status,
    file,
    ...(status === 'planned' ? { config: text } : {}),
    servers: serversOf(environments),
    model,
    toolParser,
    promptsPerStep,
    generations,
    maxTotalSequenceLength: length.tokens,
    overLength: {
      count: overLength.count,
      longest: overLength.longest.map(({ environment, ...row }) => ({ server: environment, ...row })),
    },
    warnings,
    commands,
  };
}
