import { once } from 'node:events';
import { createServer } from 'node:net';
import { UserError } from '../../errors.js';
import { write } from '../../operations/write.js';
import { gymgenCommand } from '../../printed-command.js';
import { serveExample, serveExampleOpenly } from '../../source/index.js';
import { run, type UiFlags } from '../run.js';
import { showReport } from '../ui/show-report.js';
import { writeRequest } from '../write-request.js';

/** `gymgen demo [gym-root]`: the built-in example, from nothing to a Gym root; or `--serve`, for NeMo Gym to play it. */
export async function demoCommand(gymRoot: string, flags: UiFlags & { serve?: boolean; port: string }): Promise<void> {
  await run(flags, async (terminal, signal) => {
    const port = portOf(flags.port);
    const say = (text: string) => terminal.note(text);
    if (flags.serve) await assertFree(port);
    const server = await (flags.serve ? serveExampleOpenly(port, say, signal) : serveExample(say, signal));
    try {
      if (flags.serve) {
        terminal.result(`serving gridsim at ${server.url} (Ctrl-C ends it)`);
        await Promise.race([server.ended, interruption(signal)]);
        return;
      }
      const configUrl = `http://127.0.0.1:${port}`;
      const asked = writeRequest(server.url, gymRoot, { configUrl });
      const request = { ...asked, discover: { ...asked.discover, headers: server.headers } };
      const report = await write(request, terminal, signal);
      showReport(report, request, terminal, gymgenCommand`demo --serve --port ${port}`);
    } finally {
      await server.close();
    }
  });
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 2 ** 16) return Number(text);
  throw new UserError(`--port wants a number from 1 to 65535, not ${text}`);
}

/** @throws UserError where something listens there already */
async function assertFree(port: number): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen(port, '127.0.0.1'), 'listening');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') return; // the server says what it is
    const fix = `stop what listens there, or take another port: --port ${port === 65_535 ? port - 1 : port + 1}`;
    throw new UserError(`port ${port} is taken`, { fix, cause });
  } finally {
    probe.close();
  }
}

/** Resolves when the user ends the command, which is how serving is meant to end. */
function interruption(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
