/** A clock that tests can replace. */
export interface Clock {
  /** Milliseconds since an arbitrary moment. */
  now(): number;
  /** Calls `tick` regularly, without keeping the process alive. @returns a function that stops it */
  every(milliseconds: number, tick: () => void): () => void;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  every(milliseconds, tick) {
    const timer = setInterval(tick, milliseconds).unref();
    return () => clearInterval(timer);
  },
};
