/** Ends everything that was started, in reverse order, whether the work succeeded or failed. */
export class Endings {
  private readonly all: (() => Promise<void>)[] = [];

  /** @returns `started` */
  add<T>(started: T, end: (started: T) => Promise<void>): T {
    this.all.push(() => end(started));
    return started;
  }

  /** Calls each ending once, even if others fail. @throws the first failure */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let end = this.all.pop(); end; end = this.all.pop()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
