import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../errors.js';
import { ServerBusy, ServerFull, type ServerUrl, Session, waitFor } from '../openenv/index.js';
import { Gate } from './gate.js';
import type { Reporter } from './reporter.js';

export interface SessionLimits {
  /** Sessions that gymgen opens at once, at most. */
  maxSessions: number;
  /** Seconds for a free session and the reset of its episode together. */
  resetTimeout: number;
  /** Where other runs ask the same server at the same time. */
  gate?: Gate;
}

const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 2000;
/** A session that comes free in the last moment is worth a try. */
const LEAST_RESET_SECONDS = 1;
/** A slot frees about 10 ms after a close, so a full server is worth words only after a while. */
const SAY_AFTER_MS = 1000;

/** Opens sessions within the server's capacity, which it tells only when it is full, and closes each on every way out. */
export class Sessions {
  private readonly own: Gate;
  private inUse = 0;
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
    this.own = new Gate(limits.maxSessions);
  }

  /**
   * Runs `episode` in a session of its own; its first request may find the server full, and is then made again in another.
   * @param episode gets the seconds that are left for the reset
   * @throws UserError "full" once `resetTimeout` has passed
   */
  async use<T>(episode: (session: Session, resetSeconds: number) => Promise<T>): Promise<T> {
    const { resetTimeout } = this.limits;
    // Without the time in our own queue, which is no fault of the server.
    let left = resetTimeout;
    let busySeconds = 0;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      await this.enter();
      const tried = Date.now();
      let refused: ServerFull | ServerBusy;
      try {
        return await this.once(episode, Math.max(left, Math.min(LEAST_RESET_SECONDS, resetTimeout)));
      } catch (error) {
        if (!(error instanceof ServerFull || error instanceof ServerBusy)) throw error;
        refused = error;
      } finally {
        this.leave();
      }
      if (refused instanceof ServerBusy) {
        const { ms, text } = waitFor(refused, busySeconds);
        busySeconds += refused.seconds;
        this.reporter.progress(text);
        await this.pause(ms);
        continue;
      }
      const full = refused;
      this.learn(full, resetTimeout - left);
      await this.pause(Math.min(wait, left * 1000));
      left -= (Date.now() - tried) / 1000;
      if (left * 1000 < FIRST_WAIT_MS) throw this.stillFull(full);
    }
  }

  private async once<T>(episode: (session: Session, resetSeconds: number) => Promise<T>, left: number): Promise<T> {
    this.opened += 1;
    this.inUse += 1;
    try {
      const session = await Session.open(this.server, { headers: this.headers, signal: this.signal });
      let found: T;
      try {
        found = await episode(session, left);
      } finally {
        await session.close();
      }
      session.assertInOrder();
      return found;
    } finally {
      this.inUse -= 1;
    }
  }

  /** @param waited seconds */
  private learn({ active, max, message }: ServerFull, waited: number): void {
    // Ours are among those that are open: more than it allows would only wait for each other.
    if (max != null) {
      this.own.lower(max);
      this.limits.gate?.lower(max);
    }
    const others = (active ?? Number.POSITIVE_INFINITY) > this.inUse;
    if (this.said || !others || waited * 1000 < SAY_AFTER_MS) return;
    this.said = true;
    this.reporter.warn(`${message}: waiting for a free one, up to ${this.limits.resetTimeout} s`);
  }

  private stillFull(full: ServerFull): UserError {
    return new UserError(`${full.message}, and none came free within ${this.limits.resetTimeout} s`, {
      where: full.where ?? this.server.ws,
      fix: 'serve it with more sessions, stop its other clients, or wait longer with --reset-timeout SECONDS',
    });
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.signal }).catch(() => this.signal.throwIfAborted());
  }

  private async enter(): Promise<void> {
    await this.own.enter();
    await this.limits.gate?.enter();
  }

  private leave(): void {
    this.limits.gate?.leave();
    this.own.leave();
  }
}
