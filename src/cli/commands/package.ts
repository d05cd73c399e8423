import { EXIT, UsageError } from '../../errors.js';
import type { Flags } from '../../options/index.js';
import { OPTIONS } from '../../options/index.js';
import type { CommandSpec } from '../command.js';

export const packageCommand: CommandSpec = {
  name: 'package',
  description: 'Write a NeMo Platform package of written servers: environment, dataset and job',
  arguments: [
    { name: '<gym-root>', help: 'Gym root, or the folder of one server in resources_servers/' },
    { name: '[names...]', help: 'Names of the servers (default: the only one)' },
  ],
  examples: `\
$ gymgen package gym-root -o out --format native-v1                        packages come from an index
$ gymgen package gym-root gridsim_v1 -o out --format wheels-v1 --validation eval
$ gymgen package gym-root -o out --format native-v1 --check                exit with 1 if out differs`,
  exitCodes: {
    0: 'done; with --check: nothing differs',
    1: 'with --check: something differs',
    2: 'the command failed',
  },
  async run(flags, gymRoot = '', ...names) {
    const { run } = await import('../run.js');
    await run(flags, async (terminal, signal) => {
      const [{ packageServers }, { showPackage }] = await Promise.all([
        import('../../operations/package.js'),
        import('../ui/package.js'),
      ]);
      const request = await requestOf(
        flags,
        gymRoot,
        names.flatMap((name) => name ?? []),
      );
      const report = await packageServers(request, terminal, signal);
      showPackage(report, flags, terminal);
      if (flags.check && report.changed) process.exitCode = EXIT.problems;
    });
  },
};

async function requestOf(flags: Flags, gymRoot: string, names: string[]) {
  const { parseFlags } = await import('../../options/flags.js');
  const options = parseFlags(flags);
  const { packageFolder: folder, format, rowLimit: limit } = options;
  if (folder === undefined) throw new UsageError('missing output folder', { fix: 'pass --output FOLDER' });
  if (format === undefined) {
    throw new UsageError('missing package format', { fix: 'pass --format native-v1, wheels-v1 or adapter-wheels-v1' });
  }
  const { packageTrain: train, packageValidation: validation, packageModel: model } = options;
  const { validationFraction, fileset, wheelhouse, uvPolicy } = options;
  return {
    gymRoot,
    names,
    folder,
    format,
    target: options.target ?? OPTIONS.target.default,
    carry: options.carry ?? [],
    platform: options.platform ?? OPTIONS.platform.default,
    pin: options.pin ?? [],
    maxTokens: options.maxTokens ?? OPTIONS.maxTokens.default,
    urlIsReachable: options.urlIsReachable ?? false,
    workspace: options.workspace ?? OPTIONS.workspace.default,
    isDryRun: (options.dryRun ?? false) || (options.check ?? false),
    force: options.force ?? false,
    ...(limit !== undefined && { limit }),
    ...(train !== undefined && { train }),
    ...(validation !== undefined && { validation }),
    ...(validationFraction !== undefined && { validationFraction }),
    ...(fileset !== undefined && { fileset }),
    ...(model !== undefined && { model }),
    ...(wheelhouse !== undefined && { wheelhouse }),
    ...(uvPolicy !== undefined && { uvPolicy }),
  };
}
