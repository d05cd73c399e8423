import type { Clock } from '../../src/cli/ui/clock.js';

/** A clock that only a test moves on. */
export class TestClock implements Clock {
  private time = 0;
  private readonly timers = new Set<{ milliseconds: number; tick: () => void; next: number }>();

  now(): number {
    return this.time;
  }

  every(milliseconds: number, tick: () => void): () => void {
    const timer = { milliseconds, tick, next: this.time + milliseconds };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  pass(milliseconds: number): void {
    const end = this.time + milliseconds;
    for (;;) {
      const [due] = [...this.timers].filter(({ next }) => next <= end).sort((a, b) => a.next - b.next);
      if (due === undefined) break;
      this.time = due.next;
      due.next += due.milliseconds;
      due.tick();
    }
    this.time = end;
  }
}
