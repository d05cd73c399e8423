import { EXIT } from '../../errors.js';
import type { Check } from '../../operations/doctor.js';
import type { CommandSpec } from '../command.js';
import type { DoctorDocument } from '../documents.js';
import type { Mark, Terminal } from '../ui/terminal.js';

export const doctor: CommandSpec = {
  name: 'doctor',
  description: 'Show which programs gymgen and NeMo Gym need, and how to get the missing ones',
  arguments: [],
  examples: '',
  exitCodes: { 0: 'everything needed was found', 1: 'something needed is missing' },
  async run(flags) {
    const [{ run }, operation] = await Promise.all([import('../run.js'), import('../../operations/doctor.js')]);
    await run(flags, async (terminal, signal) => {
      terminal.progress('looking for programs');
      const checks = await operation.doctor(signal);
      for (const check of checks) show(check, terminal);
      const isMissing = checks.some(({ found, needed }) => found === null && needed);
      terminal.document({ status: isMissing ? 'missing' : 'ok', checks } satisfies DoctorDocument);
      if (isMissing) process.exitCode = EXIT.problems;
    });
  },
};

const OK: Mark = { text: 'ok     ', colour: 'green' };
const WARN: Mark = { text: 'warn   ', colour: 'yellow' };
const OPTIONAL: Mark = { text: '-      ', colour: 'dim' };
const MISSING: Mark = { text: 'missing', colour: 'red' };

function show({ name, use, found, fix, needed, warning }: Check, terminal: Terminal): void {
  const mark = found === null ? (needed ? MISSING : OPTIONAL) : warning === undefined ? OK : WARN;
  terminal.result(`${name}: ${found ?? 'not found'}${warning === undefined ? '' : `, ${warning}`}`, mark);
  terminal.result(`        ${use}`);
  if (found === null) terminal.result(`        get it: ${fix}`);
}
