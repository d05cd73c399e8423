import { UsageError } from '../../errors.js';
import type { CommandSpec } from '../command.js';

export const trainerNemoRl: CommandSpec = {
  name: 'trainer nemo-rl',
  description: 'Write a NeMo RL config that trains on written servers',
  arguments: [
    { name: '<gym-root>', help: 'Gym root, or the folder of one server in resources_servers/' },
    { name: '[names...]', help: 'Names of the servers to train on together (default: the only one)' },
  ],
  examples: `\
$ gymgen trainer nemo-rl gym-root --nemo-rl ../RL               writes grpo_<name>.yaml
$ gymgen trainer nemo-rl gym-root shop bank --nemo-rl ../RL     one run on two servers
$ gymgen trainer nemo-rl gym-root --nemo-rl ../RL --base my.yaml --model Qwen/Qwen3-8B --lora 32 --gpus 4`,
  async run(flags, target = '', ...names) {
    const [{ run }, operation, { parseFlags }, { showTrainerNemoRl }] = await Promise.all([
      import('../run.js'),
      import('../../operations/trainer-nemo-rl.js'),
      import('../../options/flags.js'),
      import('../ui/trainer-nemo-rl.js'),
    ]);
    await run(flags, async (terminal, signal) => {
      const { nemoRl, outputConfig, base, runFrom, force = false, dryRun = false, ...values } = parseFlags(flags);
      if (nemoRl === undefined) {
        throw new UsageError('missing checkout of NeMo RL', { fix: 'add --nemo-rl CHECKOUT' });
      }
      const { train, validation, noValidation = false } = values;
      const report = await operation.trainerNemoRl(
        {
          target,
          names: names.flatMap((name) => name ?? []),
          checkout: nemoRl,
          file: outputConfig,
          base,
          runFrom,
          rows: { train, validation, noValidation },
          config: values,
          force,
          dryRun,
        },
        (progress) => terminal.progress(progress),
        signal,
      );
      showTrainerNemoRl(report, terminal);
    });
  },
};
