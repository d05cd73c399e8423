import { EXIT } from '../../errors.js';
import { inspect } from '../../operations/inspect.js';
import { Warnings } from '../../operations/warnings.js';
import { run } from '../run.js';
import { showInspection } from '../ui/show-inspection.js';
import type { WriteFlags } from '../write-options.js';
import { writeRequest } from '../write-request.js';

/** `gymgen inspect <source>` */
export async function inspectCommand(source: string, flags: WriteFlags): Promise<void> {
  await run(flags, async (terminal, signal) => {
    const warnings = new Warnings(terminal);
    const inspection = await inspect(writeRequest(source, '.', flags), warnings, signal);
    showInspection(inspection, terminal);
    const warned = warnings.count + inspection.warnings.length > 0;
    if (inspection.refused.length > 0 || (flags.strict && warned)) process.exitCode = EXIT.problems;
  });
}
