import { UsageError } from '../../errors.js';
import type { CommandSpec } from '../command.js';

export const trainerVerl: CommandSpec = {
  name: 'trainer verl',
  description: "Write the config for verl's recipe nemo_gym to train on written servers",
  arguments: [
    { name: '<gym-root>', help: 'Gym root, or the folder of one server in resources_servers/' },
    { name: '[names...]', help: 'Names of the servers to train on together (default: the only one)' },
  ],
  examples: `\
$ gymgen trainer verl gym-root --verl ../verl      writes verl_<name>.yaml, and prints verl's overrides`,
  async run(flags, target = '', ...names) {
    const [{ run }, operation, { parseFlags }, { showTrainerVerl }] = await Promise.all([
      import('../run.js'),
      import('../../operations/trainer-verl.js'),
      import('../../options/flags.js'),
      import('../ui/trainer-verl.js'),
    ]);
    await run(flags, async (terminal, signal) => {
      const { verl, outputServers: file, force = false, dryRun = false, ...values } = parseFlags(flags);
      if (verl === undefined) throw new UsageError('missing checkout of verl', { fix: 'add --verl CHECKOUT' });
      const { train, validation, noValidation = false } = values;
      const rows = { train, validation, noValidation };
      const report = await operation.trainerVerl(
        {
          target,
          names: names.flatMap((name) => name ?? []),
          checkout: verl,
          file,
          rows,
          options: values,
          force,
          dryRun,
        },
        (progress) => terminal.progress(progress),
        signal,
      );
      showTrainerVerl(report, terminal);
    });
  },
};
