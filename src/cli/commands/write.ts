import { withoutCredentials } from '../../credentials.js';
import { UsageError } from '../../errors.js';
import type { WriteRequest } from '../../operations/write.js';
import type { Flags } from '../../options/index.js';
import { gymgenCommand } from '../../printed-command.js';
import type { CommandSpec } from '../command.js';
import type { Terminal } from '../ui/terminal.js';

export const write: CommandSpec = {
  name: 'write',
  description: 'Write the resources server for a source into a Gym root (the default command)',
  arguments: [
    {
      name: '<source>',
      help: 'URL of an OpenEnv server, Space (hf:owner/name), AgentEnv bundle, OpenEnv project or recording',
    },
    { name: '<gym-root>', help: 'Target Gym root (created if missing)' },
  ],
  isDefault: true,
  examples: `\
$ gymgen http://127.0.0.1:8000 gym-root             all splits of a server
$ gymgen ./bundles/shop-v1 gym-root                 an AgentEnv bundle, which the written server then serves itself
$ gymgen ./my_env gym-root                          an OpenEnv project, a folder with openenv.yaml
$ gymgen hf:owner/name gym-root                     a Hugging Face Space
$ gymgen http://127.0.0.1:8000 gym-root --split train --limit 100
$ gymgen http://127.0.0.1:8000 gym-root --dry-run   the plan and one row; writes nothing
$ gymgen https://envs.example.com/shop gym-root --header-env 'Authorization=Bearer $SHOP_TOKEN'
$ gymgen http://127.0.0.1:8000 gym-root --rename-tool get.price=get_price`,
  async run(flags, source = '', gymRoot = '') {
    const { run } = await import('../run.js');
    await run(flags, (terminal, signal) => writeFolder(source, gymRoot, flags, terminal, signal));
  },
};

async function writeFolder(
  source: string,
  gymRoot: string,
  flags: Flags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  await assertOrder(source, gymRoot);
  const { requestOf } = await import('../../operations/request.js');
  const request = requestOf(source, gymRoot, flags);
  if (flags.diff) return showDiff(request, terminal, signal);
  const [operation, { showWrite }] = await Promise.all([import('../../operations/write.js'), import('../ui/write.js')]);
  const start = performance.now();
  const report = await operation.write(request, terminal, signal);
  showWrite(report, request, { seconds: (performance.now() - start) / 1000 }, terminal);
}

async function showDiff(request: WriteRequest, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const [{ check }, { showCheck }, { checkDocument }] = await Promise.all([
    import('../../operations/check.js'),
    import('../ui/check.js'),
    import('../../documents/check.js'),
  ]);
  const report = await check(request, terminal, signal);
  showCheck(report, request.gymRoot, terminal);
  terminal.document(checkDocument([report], []));
}

/** @throws UserError if the Gym root looks like a source and the source does not */
async function assertOrder(source: string, gymRoot: string): Promise<void> {
  const { HOST_AND_PORT, looksLikeSource } = await import('../../source/index.js');
  if ((await looksLikeSource(source)) || !(await looksLikeSource(gymRoot))) return;
  const first = HOST_AND_PORT.test(gymRoot) ? `http://${gymRoot}` : gymRoot;
  throw new UsageError('source and Gym root are in the wrong order', {
    fix: gymgenCommand`${withoutCredentials(first)} ${source}`,
  });
}
