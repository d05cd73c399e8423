import { once } from 'node:events';
import { createServer } from 'node:net';
import { UserError } from '../errors.js';
import type { Reporter } from '../reporter.js';
import { serveExample, serveExampleOpenly } from '../source/index.js';
import { requestOf } from './request.js';
import { type WriteReport, type WriteRequest, write } from './write.js';

export interface DemoReport {
  request: WriteRequest;
  report: WriteReport;
}

/**
 * Serves the built-in example with uv, and writes its Gym root.
 * @param port of the URL in the config, on which `serveDemo` serves the example for NeMo Gym
 */
export async function demo(
  gymRoot: string,
  port: number,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<DemoReport> {
  const server = await serveExample(reporter, signal);
  try {
    const plain = requestOf(server.url, gymRoot, { configUrl: `http://127.0.0.1:${port}` });
    const request = { ...plain, discover: { ...plain.discover, headers: server.headers } };
    return { request, report: await write(request, reporter, signal) };
  } finally {
    await server.close();
  }
}

/**
 * Serves the built-in example until the signal aborts, which is the normal end.
 * @param serving called with the URL once the server is up
 * @throws UserError if the port is in use
 */
export async function serveDemo(
  port: number,
  serving: (url: string) => void,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<void> {
  await assertFree(port);
  const server = await serveExampleOpenly(port, reporter, signal);
  try {
    serving(server.url);
    await Promise.race([server.ended, aborted(signal)]);
  } finally {
    await server.close();
  }
}

async function assertFree(port: number): Promise<void> {
  const listener = createServer();
  try {
    await once(listener.listen(port, '127.0.0.1'), 'listening');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') return; // the server reports it
    const other = port === 65_535 ? port - 1 : port + 1;
    throw new UserError(`port ${port} is in use`, {
      fix: `stop the program that listens there, or choose another port: --port ${other}`,
      cause,
    });
  } finally {
    listener.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
