import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../errors.js';
import { ServerBusy, ServerFull, type ServerUrl, Session, waitFor } from '../../openenv/index.js';
import type { Reporter } from '../../reporter.js';

/** Limits the number of sessions at a time: of one run, or of all runs that use the same server. */
export class Semaphore {
  private held = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private limit: number) {}

  async acquire(): Promise<void> {
    while (this.held >= this.limit) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.held += 1;
  }

  release(): void {
    this.held -= 1;
    this.waiting.shift()?.();
  }

  /** Lowers the limit to what the server allows. */
  lower(limit: number): void {
    this.limit = Math.max(1, Math.min(this.limit, limit));
  }
}

export interface SessionLimits {
  /** Maximum number of sessions at a time. */
  maxSessions: number;
  /** Seconds for waiting for a free session and for its reset, together. */
  resetTimeout: number;
  /** Shared by runs that use the same server at the same time. */
  semaphore?: Semaphore;
}

const FIRST_WAIT_MS = 20;
const MAX_WAIT_MS = 2000;
/** Minimum time for a reset, if a session becomes free at the last moment. */
const MIN_RESET_SECONDS = 1;
/** A slot frees about 10 ms after a close, so shorter waits for a full server are not reported. */
const REPORT_AFTER_MS = 1000;

/** Opens sessions within the capacity of the server, which only a full server reports, and always closes them. */
export class Sessions {
  private readonly own: Semaphore;
  private inUse = 0;
  private reported = false;
  /** Sessions opened so far, including those that found the server full. */
  opened = 0;

  constructor(
    private readonly server: ServerUrl,
    private readonly headers: Record<string, string>,
    private readonly limits: SessionLimits,
    private readonly signal: AbortSignal,
    private readonly reporter: Reporter,
  ) {
    this.own = new Semaphore(limits.maxSessions);
  }

  /**
   * Runs `episode` in a session of its own. If its first request finds the server full, it runs again in another session.
   * @param episode gets the seconds that are left for the reset
   * @throws UserError "full" after `resetTimeout`
   */
  async use<T>(episode: (session: Session, resetSeconds: number) => Promise<T>): Promise<T> {
    const { resetTimeout } = this.limits;
    // Waiting for our own sessions does not count: the server is not at fault.
    let left = resetTimeout;
    let busySeconds = 0;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
      await this.acquire();
      const started = Date.now();
      let refusal: ServerFull | ServerBusy;
      try {
        return await this.runOnce(episode, Math.max(left, Math.min(MIN_RESET_SECONDS, resetTimeout)));
      } catch (error) {
        if (!(error instanceof ServerFull || error instanceof ServerBusy)) throw error;
        refusal = error;
      } finally {
        this.release();
      }
      if (refusal instanceof ServerBusy) {
        const wait = waitFor(refusal, busySeconds);
        busySeconds += wait.seconds;
        this.reporter.progress(wait);
        await this.pause(wait.seconds * 1000);
        continue;
      }
      this.adaptTo(refusal, resetTimeout - left);
      await this.pause(Math.min(wait, left * 1000));
      left -= (Date.now() - started) / 1000;
      if (left * 1000 < FIRST_WAIT_MS) throw this.stillFull(refusal);
    }
  }

  private async runOnce<T>(episode: (session: Session, resetSeconds: number) => Promise<T>, left: number): Promise<T> {
    this.opened += 1;
    this.inUse += 1;
    try {
      const { headers, signal } = this;
      const sent = this.reporter.request?.bind(this.reporter);
      const session = await Session.open(this.server, { headers, signal, sent });
      let result: T;
      try {
        result = await episode(session, left);
      } finally {
        await session.close();
      }
      session.assertInOrder();
      return result;
    } finally {
      this.inUse -= 1;
    }
  }

  /**
   * Lowers the limits to the server's capacity, and reports that it is full because of other clients.
   * @param waited seconds
   */
  private adaptTo({ active, max, message }: ServerFull, waited: number): void {
    // Sessions of ours beyond the capacity would only wait for each other.
    if (max != null) {
      this.own.lower(max);
      this.limits.semaphore?.lower(max);
    }
    const hasOthers = (active ?? Number.POSITIVE_INFINITY) > this.inUse;
    if (this.reported || !hasOthers || waited * 1000 < REPORT_AFTER_MS) return;
    this.reported = true;
    this.reporter.warn(`${message}: waiting up to ${this.limits.resetTimeout} s for a free session`);
  }

  private stillFull(full: ServerFull): UserError {
    return new UserError(`${full.message}; no session became free within ${this.limits.resetTimeout} s`, {
      where: full.where ?? this.server.ws,
      fix: 'serve it with more sessions, stop other clients, or wait longer with --reset-timeout SECONDS',
    });
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.signal }).catch(() => this.signal.throwIfAborted());
  }

  private async acquire(): Promise<void> {
    await this.own.acquire();
    await this.limits.semaphore?.acquire();
  }

  private release(): void {
    this.limits.semaphore?.release();
    this.own.release();
  }
}
