import { UserError } from '../errors.js';
import { LIMITS } from '../limits.js';
import type { Progress } from '../reporter.js';

/** A server that is full or restarting, and says when to try again. */
export class ServerBusy extends UserError {
  override readonly name = 'ServerBusy';

  /** @param seconds until the server may be asked again */
  constructor(
    readonly status: number,
    readonly seconds: number,
    where: string,
  ) {
    super(`the server asks to wait ${seconds} s (HTTP ${status}), more than gymgen waits`, {
      where,
      fix: `run gymgen again in ${seconds} s, or raise the server's rate limit`,
    });
  }
}

/** Minimum wait in seconds, even if the server says 0. */
const SHORTEST = 0.25;

/**
 * The wait that a 429 or 503 with Retry-After asks for; null for any other response.
 * @param header seconds or an HTTP date (RFC 9110, 10.2.3)
 */
export function busyOf(status: number | undefined, header: string | undefined, where: string): ServerBusy | null {
  if ((status !== 429 && status !== 503) || header === undefined) return null;
  const isDate = header.trimEnd().endsWith('GMT');
  const seconds = isDate ? (Date.parse(header) - Date.now()) / 1000 : /^\s*\d+\s*$/.test(header) ? Number(header) : NaN;
  if (Number.isNaN(seconds)) return null;
  return new ServerBusy(status, Math.max(SHORTEST, Math.ceil(seconds)), where);
}

/**
 * How long to wait for a busy server.
 * @param waited seconds that the same request has waited before
 * @throws ServerBusy if that is longer than `LIMITS.retrySeconds` in all
 */
export function waitFor(busy: ServerBusy, waited: number): Extract<Progress, { phase: 'wait' }> {
  if (waited + busy.seconds > LIMITS.retrySeconds) throw busy;
  return { phase: 'wait', reason: `the server is busy (HTTP ${busy.status})`, seconds: busy.seconds };
}
