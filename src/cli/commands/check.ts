import { withoutCredentials } from '../../credentials.js';
import { EXIT, Interrupted, UserError } from '../../errors.js';
import { type CheckReport, check } from '../../operations/check.js';
import type { GenerateRequest } from '../../operations/generate.js';
import { assertFinished } from '../../output/index.js';
import { gymgenCommand } from '../../printed-command.js';
import { withHeaderHint } from '../header-hint.js';
import { type LockFlags, lockRequests } from '../lock-requests.js';
import { run } from '../run.js';
import { githubAnnotations } from '../ui/github.js';
import { checkDocument, showCheck } from '../ui/show-check.js';
import { showUserError } from '../ui/show-error.js';
import type { WriteFlags } from '../write-options.js';
import { writeRequest } from '../write-request.js';

export interface CheckFlags extends WriteFlags, LockFlags {
  github?: boolean;
}

/** `gymgen check <source> <gym-root>`, or `gymgen check <gym-root>`, which asks what the lock files name. */
export async function checkCommand(first: string, second: string | undefined, flags: CheckFlags): Promise<void> {
  await run(flags, async (terminal, signal) => {
    const requests = await requestsOf(first, second, flags);
    const reports: CheckReport[] = [];
    const failures: { name: string; error: UserError }[] = [];
    for (const request of requests) {
      const shown = request.name ?? withoutCredentials(request.source);
      try {
        const report = await check(request, terminal, signal);
        reports.push(report);
        showCheck(report, request.gymRoot, terminal);
        if (flags.github) for (const annotation of githubAnnotations(report)) terminal.annotate(annotation);
      } catch (thrown) {
        const error = second === undefined ? withHeaderHint(thrown, request) : thrown;
        // One folder that can't be told of doesn't keep the others from being looked at.
        if (requests.length === 1 || !(error instanceof UserError) || error instanceof Interrupted) throw error;
        failures.push({ name: shown, error });
        terminal.line(`${shown} can't be checked`);
        showUserError(error, terminal);
      }
    }
    terminal.document(checkDocument(reports, failures));
    // Exit code 1 if all that failed are warnings with --strict.
    if (failures.length > 0) process.exitCode = Math.max(...failures.map(({ error }) => error.exitCode));
    else if (reports.some(({ changed }) => changed)) process.exitCode = EXIT.problems;
  });
}

async function requestsOf(first: string, second: string | undefined, flags: CheckFlags): Promise<GenerateRequest[]> {
  if (second === undefined) {
    refuseOthers(flags);
    await assertFinished(first); // before its lock file is looked for, which a commit writes last
    return lockRequests(first, flags);
  }
  if (flags.source !== undefined) {
    throw new UserError('the source is given twice', { fix: 'leave --source out, or <source>' });
  }
  return [writeRequest(first, second, flags)];
}

/** Options that a lock file has already. */
function refuseOthers(flags: CheckFlags): void {
  const own =
    'name source runSource header headerEnv tasks python trustRecording maxSessions strict github json quiet verbose'.split(
      ' ',
    );
  const isGiven = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  const others = Object.entries(flags).filter(([key, value]) => isGiven(value) && !own.includes(key));
  if (others.length === 0) return;
  throw new UserError(`a lock file says its own options: ${others.map(([key]) => key).join(', ')}`, {
    fix: `leave them out, or name the source too: ${gymgenCommand`check <source> <gym-root> [options]`}`,
  });
}
