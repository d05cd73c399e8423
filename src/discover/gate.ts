/** Places for sessions of one server: a run's own, or shared by several so that together they stay within what it allows. */
export class Gate {
  private inside = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private limit: number) {}

  async enter(): Promise<void> {
    while (this.inside >= this.limit) await new Promise<void>((resolve) => this.queue.push(resolve));
    this.inside += 1;
  }

  leave(): void {
    this.inside -= 1;
    this.queue.shift()?.();
  }

  /** What the server turned out to allow. */
  lower(limit: number): void {
    this.limit = Math.max(1, Math.min(this.limit, limit));
  }
}
