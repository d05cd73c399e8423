import { EXIT } from '../../errors.js';
import { doctor } from '../../operations/doctor.js';
import { run, type UiFlags } from '../run.js';
import type { Mark } from '../ui/terminal.js';

const HERE: Mark = { text: 'ok     ', colour: 'green' };
const LATER: Mark = { text: '-      ', colour: 'dim' };
const MISSING: Mark = { text: 'missing', colour: 'red' };

/** `gymgen doctor` */
export async function doctorCommand(flags: UiFlags): Promise<void> {
  await run(flags, async (terminal, signal) => {
    terminal.progress('looking at what there is');
    const checks = await doctor(signal);
    for (const { name, use, found, fix, needed } of checks) {
      terminal.result(`${name}: ${found ?? 'not found'}`, found ? HERE : needed ? MISSING : LATER);
      terminal.result(`        ${use}`);
      if (!found) terminal.result(`        get it: ${fix}`);
    }
    const missing = checks.some(({ found, needed }) => found === null && needed);
    terminal.document({ status: missing ? 'missing' : 'ok', checks });
    if (missing) process.exitCode = EXIT.problems;
  });
}
