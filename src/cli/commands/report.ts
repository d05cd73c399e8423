import { type Command, Option } from 'commander';
import { UserError } from '../../errors.js';
import type { Report } from '../../report/index.js';
import type { UiFlags } from '../run.js';
import type { Terminal } from '../ui/terminal.js';
import { addUiOptions } from '../write-options.js';

interface ReportFlags extends UiFlags {
  output: string;
  maxTotalSequenceLength?: string;
  force?: boolean;
}

const EXAMPLES = `
Examples:
  $ gymgen report rollouts.jsonl -o report.html
  $ gymgen report before.jsonl after.jsonl          two runs side by side
  $ gymgen report gym-root/resources_servers/gridsim_v1 --max-total-sequence-length 4096`;

export function addReportCommand(cli: Command): void {
  addUiOptions(
    cli
      .command('report')
      .description('Write an HTML page about rollouts, or about the rows and tools of a written server')
      .argument('<inputs...>', "rollouts.jsonl files of NeMo Gym, or a server's folder in resources_servers/")
      .option('-o, --output <file>', 'HTML file to write', 'report.html')
      .addOption(
        new Option(
          '--max-total-sequence-length <tokens>',
          'Longest sequence that the trainer takes; the page marks what is longer',
        ),
      )
      .option('--force', 'Replace the file even if it is not a gymgen report')
      .addHelpText('after', EXAMPLES),
  ).action(async (inputs: string[], flags: ReportFlags) => {
    const [{ run }, operation] = await Promise.all([import('../run.js'), import('../../operations/report.js')]);
    await run(flags, async (terminal, signal) => {
      const { output: file, maxTotalSequenceLength: length, force = false } = flags;
      const limit = length === undefined ? {} : { maxTotalSequenceLength: tokensOf(length) };
      const progress = (text: string) => terminal.progress(text);
      const report = await operation.report({ inputs, file, force, ...limit }, progress, signal);
      await show(report, file, terminal);
    });
  });
}

function tokensOf(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new UserError('invalid option value', {
    details: [`--max-total-sequence-length must be a whole number of tokens, 1 or more: ${text}`],
    fix: 'pass the max_total_sequence_length of the trainer, such as 4096',
  });
}

async function show(report: Report, file: string, terminal: Terminal): Promise<void> {
  const { summaryLines } = await import('../ui/show-summary.js');
  for (const line of summaryLines(report)) terminal.note(line);
  terminal.result(`wrote ${file}`);
  terminal.document({ status: 'wrote', file, ...report });
}
