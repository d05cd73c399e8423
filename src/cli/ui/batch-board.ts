import type { Reporter } from '../../discover/index.js';
import type { BatchObserver, Job, Outcome } from '../../operations/batch.js';
import { outcomeLine } from './show-batch.js';
import type { Terminal } from './terminal.js';

/** What a batch tells while it runs: on a terminal a line for each job under way and a total, elsewhere a line for each that ended. */
export class BatchBoard implements BatchObserver {
  private readonly underWay = new Map<Job, string>();
  private done = 0;

  constructor(
    private readonly total: number,
    private readonly terminal: Terminal,
  ) {}

  begun(job: Job): void {
    this.say(job, 'begins');
  }

  reporter(job: Job): Reporter {
    return {
      note: (text) => this.terminal.note(`${job.label}: ${text}`),
      warn: (text) => this.terminal.warn(`${job.label}: ${text}`),
      progress: (text) => this.say(job, text),
    };
  }

  ended(outcome: Outcome): void {
    this.underWay.delete(outcome.job);
    this.done += 1;
    const { mark, text } = outcomeLine(outcome);
    this.terminal.note(text, mark);
    this.draw();
  }

  private say(job: Job, text: string): void {
    this.underWay.set(job, text);
    this.draw();
  }

  private draw(): void {
    const lines = [...this.underWay].map(([{ label }, text]) => `${label}: ${text}`);
    this.terminal.board([...lines, `${this.done} of ${this.total} done`]);
  }
}
