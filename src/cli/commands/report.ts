import type { ReportDocument } from '../../documents/schemas/report.js';
import { OPTIONS } from '../../options/index.js';
import type { Progress } from '../../reporter.js';
import type { CommandSpec } from '../command.js';

export const report: CommandSpec = {
  name: 'report',
  description: 'Write an HTML page about rollouts, or about the rows and tools of a written server',
  arguments: [
    {
      name: '<inputs...>',
      help: 'rollouts.jsonl files of NeMo Gym, or the folder of one server in resources_servers/',
    },
  ],
  examples: `\
$ gymgen report rollouts.jsonl -o report.html
$ gymgen report before.jsonl after.jsonl          two runs side by side
$ gymgen report gym-root/resources_servers/gridsim_v1 --max-total-sequence-length 4096`,
  async run(flags, ...args) {
    const [{ run }, operation, { parseFlags }, { summaryLines }] = await Promise.all([
      import('../run.js'),
      import('../../operations/report.js'),
      import('../../options/flags.js'),
      import('../ui/report.js'),
    ]);
    await run(flags, async (terminal, signal) => {
      const { output: file = OPTIONS.output.default, maxTotalSequenceLength, force = false } = parseFlags(flags);
      const limit = maxTotalSequenceLength === undefined ? {} : { maxTotalSequenceLength };
      const inputs = args.flatMap((input) => input ?? []);
      const progress = (event: Progress) => terminal.progress(event);
      const about = await operation.report({ inputs, file, force, ...limit }, progress, signal);
      for (const line of summaryLines(about)) terminal.note(line);
      terminal.result(`wrote ${file}`);
      terminal.document({ status: 'wrote', file, ...about } satisfies ReportDocument);
    });
  },
};
