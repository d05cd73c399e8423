import { formatCount } from '../../display-text.js';
import type { TrainerNemoRlReport } from '../../operations/trainer-nemo-rl.js';
import { describe } from '../../rules/index.js';
import type { TrainerNemoRlDocument } from '../trainer-documents.js';
import type { Terminal } from './terminal.js';

/** Shows a config of NeMo RL: what it trains on, what may go wrong, and how to start the run. */
export function showTrainerNemoRl(report: TrainerNemoRlReport, terminal: Terminal): void {
  const { status, file, text, plan, environments, warnings, overLength, commands } = report;
  for (const { name, train, validation } of environments) {
    const others = validation ? `, validation on ${formatCount(validation.rows)} rows of ${validation.split}` : '';
    terminal.note(`${name}: ${formatCount(train.rows)} rows of ${train.split}${others}`);
  }
  terminal.note(
    `${formatCount(plan.rollouts)} rollouts a step (${plan.promptsPerStep} × ${plan.generations}), ` +
      `sequences of up to ${formatCount(plan.length.tokens)} tokens`,
  );
  for (const warning of warnings) terminal.warn(describe(warning));
  for (const { environment, split, line, task, tokens } of overLength.longest) {
    terminal.note(
      `  ${environment} ${split}:${line}${task === undefined ? '' : ` ${task}`}: ${formatCount(tokens)} tokens`,
    );
  }
  if (status === 'planned') for (const line of text.trimEnd().split('\n')) terminal.result(line);
  else terminal.result(status === 'wrote' ? `wrote ${file}` : `${file} is up to date`);
  terminal.note('');
  terminal.note('Next:');
  for (const command of commands) terminal.note(`  ${command}`);
  terminal.document(documentOf(report));
}

function documentOf(report: TrainerNemoRlReport): TrainerNemoRlDocument {
  const { status, file, text, plan, environments, warnings, overLength, commands } = report;
  const { model, toolParser, promptsPerStep, generations, length } = plan;
  const split = ({ split, rows }: { split: string; rows: number }) => ({ split, rows });
  return {
    status,
    file,
    ...(status === 'planned' ? { config: text } : {}),
    servers: environments.map(({ name, train, validation }) => {
      return { name, train: split(train), ...(validation ? { validation: split(validation) } : {}) };
    }),
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
