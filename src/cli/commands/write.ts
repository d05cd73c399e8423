import { withoutCredentials } from '../../credentials.js';
import { UserError } from '../../errors.js';
import { type WriteRequest, write } from '../../operations/write.js';
import { gymgenCommand } from '../../printed-command.js';
import { looksLikeSource } from '../../source/index.js';
import { run } from '../run.js';
import { showReport } from '../ui/show-report.js';
import type { Terminal } from '../ui/terminal.js';
import type { WriteFlags } from '../write-options.js';
import { writeRequest } from '../write-request.js';

/** `gymgen [write] <source> <gym-root>` */
export async function writeCommand(source: string, gymRoot: string, flags: WriteFlags): Promise<void> {
  await run(flags, async (terminal, signal) => {
    await checkArguments(source, gymRoot);
    const request = writeRequest(source, gymRoot, flags);
    if (flags.diff) return showDiff(request, terminal, signal);
    showReport(await write(request, terminal, signal), request, terminal);
  });
}

async function showDiff(request: WriteRequest, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const [{ check }, { checkDocument, showCheck }] = await Promise.all([
    import('../../operations/check.js'),
    import('../ui/show-check.js'),
  ]);
  const report = await check(request, terminal, signal);
  showCheck(report, request.gymRoot, terminal);
  terminal.document(checkDocument([report], []));
}

/** Recognises arguments in the wrong order. */
async function checkArguments(source: string, gymRoot: string): Promise<void> {
  if ((await looksLikeSource(source)) || !(await looksLikeSource(gymRoot))) return;
  const first = HOST_AND_PORT.test(gymRoot) ? `http://${gymRoot}` : gymRoot;
  throw new UserError('the arguments are the wrong way round', {
    fix: gymgenCommand`${withoutCredentials(first)} ${source}`,
  });
}

const HOST_AND_PORT = /^[\w.-]+:\d+(\/|$)/;
