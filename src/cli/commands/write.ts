import { check } from '../../check/check.js';
import { UserError } from '../../errors.js';
import { looksLikeSource } from '../../source/index.js';
import { write } from '../../write.js';
import { run } from '../run.js';
import { checkDocument, showCheck } from '../ui/show-check.js';
import { showReport } from '../ui/show-report.js';
import type { WriteFlags } from '../write-options.js';
import { writeRequest } from '../write-request.js';

/** `gymgen [write] <source> <gym-root>` */
export async function writeCommand(source: string, gymRoot: string, flags: WriteFlags): Promise<void> {
  await run(flags, async (terminal, signal) => {
    await checkArguments(source, gymRoot);
    const request = writeRequest(source, gymRoot, flags);
    if (flags.diff) {
      const report = await check(request, terminal, signal);
      showCheck(report, gymRoot, terminal);
      terminal.document(checkDocument([report], []));
      return;
    }
    showReport(await write(request, terminal, signal), request, terminal);
  });
}

/** Recognises arguments in the wrong order. */
async function checkArguments(source: string, gymRoot: string): Promise<void> {
  if ((await looksLikeSource(source)) || !(await looksLikeSource(gymRoot))) return;
  const first = HOST_AND_PORT.test(gymRoot) ? `http://${gymRoot}` : gymRoot;
  throw new UserError('the arguments are the wrong way round', { fix: `gymgen ${first} ${source}` });
}

const HOST_AND_PORT = /^[\w.-]+:\d+(\/|$)/;
