import { OPTIONS } from '../../options/index.js';
import type { CommandSpec } from '../command.js';

export const demo: CommandSpec = {
  name: 'demo',
  description: 'Serve the built-in example with uv, and write its Gym root',
  arguments: [{ name: '[gym-root]', help: 'Target Gym root', default: 'gym-root' }],
  examples: `\
$ gymgen demo                                     writes gym-root
$ gymgen demo --serve                             serves the example for NeMo Gym`,
  async run(flags, gymRoot = '') {
    const [{ run }, operation, { parseFlags }, { showWrite }] = await Promise.all([
      import('../run.js'),
      import('../../operations/demo.js'),
      import('../../options/flags.js'),
      import('../ui/write.js'),
    ]);
    await run(flags, async (terminal, signal) => {
      const port = parseFlags({ port: flags.port }).port ?? OPTIONS.port.default;
      if (flags.serve) {
        const serving = (url: string) => terminal.result(`serving gridsim at ${url} (press Ctrl-C to stop)`);
        return operation.serveDemo(port, serving, terminal, signal);
      }
      const start = performance.now();
      const { report, request } = await operation.demo(gymRoot, port, terminal, signal);
      showWrite(report, request, { seconds: (performance.now() - start) / 1000, isDemo: true }, terminal);
    });
  },
};
