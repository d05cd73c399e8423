import { formatCount } from '../../display-text.js';
import { recordDocument } from '../../documents/record.js';
import type { CommandSpec } from '../command.js';

export const record: CommandSpec = {
  name: 'record',
  description: 'Record a source to a file that can be used in its place',
  arguments: [
    { name: '<source>', help: 'Source as in write' },
    { name: '<file>', help: 'Target file, such as shop.jsonl, or shop.jsonl.gz to compress it' },
  ],
  examples: `\
$ gymgen record http://127.0.0.1:8000 shop.jsonl.gz
$ gymgen shop.jsonl.gz gym-root                   the same bytes as from the server`,
  async run(flags, source = '', file = '') {
    const [{ run }, operation, { requestOf }] = await Promise.all([
      import('../run.js'),
      import('../../operations/record.js'),
      import('../../operations/request.js'),
    ]);
    await run(flags, async (terminal, signal) => {
      const report = await operation.record(requestOf(source, '.', flags), file, terminal, signal);
      const { splits, toolsets } = report;
      terminal.result(`recorded ${file}`);
      for (const { name, count } of splits) terminal.note(`  ${name}: ${formatCount(count)} tasks`);
      terminal.note(`  ${toolsets} ${toolsets === 1 ? 'toolset' : 'toolsets'}`);
      terminal.document(recordDocument(report));
    });
  },
};
