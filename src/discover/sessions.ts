import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../errors.js';
import { ServerFull, type ServerUrl, Session } from '../openenv/index.js';
import type { Reporter } from './reporter.js';

export interface SessionLimits {
  /** Sessions that gymgen opens at once, at most. */
  maxSessions: number;
  /** Seconds for a free session and the reset of its episode together. */
  resetTimeout: number;
}

const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 2000;
/** A slot frees about 10 ms after a close, so a full server is worth words only after a while. */
const SAY_AFTER_MS = 1000;

/** Opens sessions within the server's capacity, which it tells only when it is full, and closes each on every way out. */
export class Sessions {
  private limit: number;
  private entered = 0;
  private inUse = 0;
  private readonly queue: (() => void)[] = [];
  private said = false;
  /** Sessions opened so far, those that found the server full included. */
  opened = 0;

  constructor(
    private readonly server: ServerUrl,
    private readonly headers: Record<string, string>,
    private readonly limits: SessionLimits,
    private readonly signal: AbortSignal,
    private readonly reporter: Reporter,
  ) {
    this.limit = limits.maxSessions;
  }

  /**
   * Runs `episode` in a session of its own; its first request may find the server full, and is then made again in another.
   * @param episode gets the seconds that are left for the reset
   * @throws UserError "full" once `resetTimeout` has passed
   */
  async use<T>(episode: (session: Session, resetSeconds: number) => Promise<T>): Promise<T> {
    const started = Date.now();
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      await this.enter();
      const left = this.limits.resetTimeout - (Date.now() - started) / 1000;
      try {
        return await this.once(episode, left);
      } catch (error) {
        if (!(error instanceof ServerFull)) throw error;
        this.full(error, started, left - wait / 1000);
      } finally {
        this.leave();
      }
      await this.pause(wait);
    }
  }

  private async once<T>(episode: (session: Session, resetSeconds: number) => Promise<T>, left: number): Promise<T> {
    this.opened += 1;
    this.inUse += 1;
    try {
      const session = await Session.open(this.server, { headers: this.headers, signal: this.signal });
      try {
        return await episode(session, left);
      } finally {
        await session.close();
      }
    } finally {
      this.inUse -= 1;
    }
  }

  private full(error: ServerFull, started: number, left: number): void {
    // Ours are among those that are open: more than it allows would only wait for each other.
    if (error.max !== undefined) this.limit = Math.max(1, Math.min(this.limit, error.max));
    const { resetTimeout } = this.limits;
    if (left <= 0) {
      throw new UserError(`${error.message}, and none came free within ${resetTimeout} s`, {
        where: error.where ?? this.server.ws,
        fix: 'serve it with more sessions, stop its other clients, or wait longer with --reset-timeout SECONDS',
      });
    }
    const others = (error.active ?? Number.POSITIVE_INFINITY) > this.inUse;
    if (others && !this.said && Date.now() - started >= SAY_AFTER_MS) {
      this.said = true;
      this.reporter.warn(`${error.message}: waiting for a free one, up to ${resetTimeout} s`);
    }
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.signal }).catch(() => this.signal.throwIfAborted());
  }

  private async enter(): Promise<void> {
    while (this.entered >= this.limit) await new Promise<void>((resolve) => this.queue.push(resolve));
    this.entered += 1;
  }

  private leave(): void {
    this.entered -= 1;
    this.queue.shift()?.();
  }
}
