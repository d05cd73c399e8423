import { EXIT } from '../../errors.js';
import { inspect } from '../../inspect.js';
import { run } from '../run.js';
import { showInspection } from '../ui/show-inspection.js';
import type { WriteFlags } from '../write-options.js';
import { writeRequest } from '../write-request.js';

/** `gymgen inspect <source>` */
export async function inspectCommand(source: string, flags: WriteFlags): Promise<void> {
  await run(flags, async (terminal, signal) => {
    const inspection = await inspect(writeRequest(source, '.', flags), terminal, signal);
    showInspection(inspection, terminal);
    if (inspection.refused.length > 0) process.exitCode = EXIT.differs;
  });
}
