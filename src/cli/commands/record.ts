import { formatCount } from '../../display-text.js';
import { record } from '../../operations/record.js';
import { run } from '../run.js';
import type { WriteFlags } from '../write-options.js';
import { writeRequest } from '../write-request.js';

/** `gymgen record <source> <file>` */
export async function recordCommand(source: string, file: string, flags: WriteFlags): Promise<void> {
  await run(flags, async (terminal, signal) => {
    const report = await record(writeRequest(source, '.', flags), file, terminal, signal);
    const { envName, splits, toolsets } = report;
    terminal.result(`recorded ${file}`);
    for (const { name, count } of splits) terminal.note(`  ${name}: ${formatCount(count)} tasks`);
    terminal.note(`  ${toolsets} ${toolsets === 1 ? 'toolset' : 'toolsets'}`);
    terminal.document({ status: 'recorded', file, environment: envName, splits, toolsets });
  });
}
