import type { DoctorDocument } from '../../documents/schemas/doctor.js';
import { EXIT } from '../../errors.js';
import type { Check } from '../../operations/doctor/index.js';
import type { CommandSpec } from '../command.js';
import type { Mark, Terminal } from '../ui/terminal.js';

export const doctor: CommandSpec = {
  name: 'doctor',
  description: 'Show what gymgen and NeMo Gym need on this machine, and how to get what is missing',
  arguments: [],
  examples: '',
  exitCodes: { 0: 'everything needed was found', 1: 'something needed is missing' },
  async run(flags) {
    const [{ run }, operation] = await Promise.all([import('../run.js'), import('../../operations/doctor/index.js')]);
    await run(flags, async (terminal, signal) => {
      terminal.progress({ phase: 'step', what: 'checking this machine' });
      const checks = await operation.doctor(signal);
      for (const check of checks) show(check, terminal);
      const isMissing = checks.some(({ found, needed }) => found === null && needed);
      terminal.document({ status: isMissing ? 'missing' : 'ok', checks } satisfies DoctorDocument);
      if (isMissing) process.exitCode = EXIT.problems;
    });
  },
};

const OK: Mark = { text: 'ok     ', color: 'green' };
const WARN: Mark = { text: 'warn   ', color: 'yellow' };
const OPTIONAL: Mark = { text: '-      ', color: 'dim' };
const MISSING: Mark = { text: 'missing', color: 'red' };

function show({ name, use, found, problem, fix, needed, warning }: Check, terminal: Terminal): void {
  const mark = found === null ? (needed ? MISSING : OPTIONAL) : warning === undefined ? OK : WARN;
  terminal.result(`${name}: ${found ?? problem ?? 'not found'}${warning === undefined ? '' : `, ${warning}`}`, mark);
  terminal.result(`        ${use}`);
  if (mark !== OK && fix !== undefined) terminal.result(`        fix: ${fix}`);
}
