import { EXIT } from '../../errors.js';
import type { CommandSpec } from '../command.js';

export const inspect: CommandSpec = {
  name: 'inspect',
  description: 'Show what a source serves and what NeMo Gym would reject; writes nothing',
  arguments: [{ name: '<source>', help: 'Source as in write' }],
  examples: `\
$ gymgen inspect http://127.0.0.1:8000
$ gymgen inspect ./my_env --episodes 20           a server without the Task API: what its seeds change, and its tools`,
  exitCodes: {
    0: 'NeMo Gym would accept everything',
    1: 'NeMo Gym would reject something',
    2: 'the source could not be read',
  },
  async run(flags, source = '') {
    const [{ run }, operation, { requestOf }, { Warnings }, { showInspection }] = await Promise.all([
      import('../run.js'),
      import('../../operations/inspect.js'),
      import('../../operations/request.js'),
      import('../../operations/strict.js'),
      import('../ui/inspect.js'),
    ]);
    await run(flags, async (terminal, signal) => {
      const warnings = new Warnings(terminal);
      const inspection = await operation.inspect(requestOf(source, '.', flags), warnings, signal);
      showInspection(inspection, terminal);
      const warned = warnings.count + inspection.warnings.length > 0;
      if (inspection.refused.length > 0 || (flags.strict && warned)) process.exitCode = EXIT.problems;
    });
  },
};
