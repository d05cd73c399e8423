import { EXIT } from '../../errors.js';
import type { CommandSpec } from '../command.js';

export const trainerAxolotl: CommandSpec = {
  name: 'trainer axolotl',
  description: 'Check rows for Axolotl, and write its config for a written server',
  arguments: [
    { name: '<gym-root>', help: 'Gym root, or the folder of one server in resources_servers/' },
    { name: '[name]', help: 'Name of the server (default: the only one)' },
  ],
  examples: `\
$ gymgen trainer axolotl gym-root --dry-run        what Axolotl's loader does to the rows
$ gymgen trainer axolotl gym-root --fix            writes axolotl_<name>/, with rows that the loader does not change
$ gymgen trainer axolotl gym-root shop --fix --form rollout-loop --port 12000`,
  exitCodes: {
    [EXIT.done]: 'the rows are fine, or fixed',
    [EXIT.problems]: 'the loader would lose, change or reject rows; add --fix',
    [EXIT.failed]: 'the command failed; nothing was written',
  },
  async run(flags, target = '', name) {
    const [{ run }, operation, { parseFlags }, { isFine, showTrainerAxolotl }] = await Promise.all([
      import('../run.js'),
      import('../../operations/trainer-axolotl.js'),
      import('../../options/flags.js'),
      import('../ui/trainer-axolotl.js'),
    ]);
    await run(flags, async (terminal, signal) => {
      const { outputFolder: folder, agentPort: port, ...values } = parseFlags(flags);
      const { form = 'plugin', fix = false, force = false, dryRun = false, train } = values;
      const names = name === undefined ? [] : [name];
      const report = await operation.trainerAxolotl(
        { target, names, folder, form, fix, force, dryRun, train, port, options: values },
        (progress) => terminal.progress(progress),
        signal,
      );
      showTrainerAxolotl(report, terminal);
      if (!isFine(report)) process.exitCode = EXIT.problems;
    });
  },
};
