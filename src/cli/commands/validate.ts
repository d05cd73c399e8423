import { EXIT } from '../../errors.js';
import type { CommandSpec } from '../command.js';

export const validate: CommandSpec = {
  name: 'validate',
  description: 'Find what NeMo Gym or NeMo Platform would reject; runs and writes nothing',
  arguments: [
    {
      name: '<targets...>',
      help: 'Gym root, folder in resources_servers/, package for NeMo Platform, or dataset (.jsonl, or its folder)',
    },
  ],
  examples: `\
$ gymgen validate gym-root
$ gymgen validate out/environment out/dataset                  a package, and the rows for its agents
$ gymgen validate training.jsonl --package out/environment
$ gymgen validate out/environment --platform linux/arm64 --pin ray==2.61.0 --strict`,
  exitCodes: { 0: 'valid', 1: 'errors found; with --strict, also warnings', 2: 'a target could not be read' },
  async run(flags, ...args) {
    const [{ run }, operation, { headersOf }, { parseFlags }, ui] = await Promise.all([
      import('../run.js'),
      import('../../operations/validate.js'),
      import('../../operations/headers.js'),
      import('../../options/flags.js'),
      import('../ui/validate.js'),
    ]);
    await run(flags, async (terminal, signal) => {
      const {
        package: packageOfRows,
        target,
        platform,
        python,
        pin: pins,
        strict = false,
        github = false,
        live = false,
        ...values
      } = parseFlags(flags);
      const request = {
        targets: args.flatMap((one) => one ?? []),
        live,
        strict,
        headers: headersOf(values).sent,
        ...(packageOfRows !== undefined && { packageOfRows }),
        ...(target !== undefined && { target }),
        ...(platform !== undefined && { platform }),
        ...(python !== undefined && { python }),
        ...(pins !== undefined && { pins }),
      };
      const report = await operation.validate(request, (progress) => terminal.progress(progress), signal);
      ui.showValidation(report, terminal);
      if (github) for (const annotation of ui.annotationsOf(report)) terminal.annotate(annotation);
      terminal.document(ui.validateDocument(report));
      if (report.errors > 0) process.exitCode = EXIT.problems;
    });
  },
};
