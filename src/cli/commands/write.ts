import { stat } from 'node:fs/promises';
import { UserError } from '../../errors.js';
import { write } from '../../write.js';
import { run } from '../run.js';
import { showReport } from '../ui/show-report.js';
import type { WriteFlags } from '../write-options.js';
import { writeRequest } from '../write-request.js';

/** `gymgen [write] <url> <gym-root>` */
export async function writeCommand(url: string, gymRoot: string, flags: WriteFlags): Promise<void> {
  await run(flags, async (terminal, signal) => {
    await checkArguments(url, gymRoot);
    const request = writeRequest(url, gymRoot, flags);
    showReport(await write(request, terminal, signal), request, terminal);
  });
}

/** Recognises arguments in the wrong order, and URLs without their scheme. */
async function checkArguments(url: string, gymRoot: string): Promise<void> {
  if (url.includes('://')) return;
  if (gymRoot.includes('://')) {
    throw new UserError('the arguments are the wrong way round', { fix: `gymgen ${gymRoot} ${url}` });
  }
  if (/^[\w.-]+:\d+(\/|$)/.test(url)) {
    throw new UserError(`not a URL: ${url}`, { fix: `gymgen http://${url} ${gymRoot}` });
  }
  const found = await stat(url).catch(() => null);
  throw new UserError(found ? `${url} is a path, and gymgen takes the URL of a running server` : `not a URL: ${url}`, {
    fix: 'serve the environment, and give its URL: gymgen http://HOST:PORT GYM_ROOT',
  });
}
