import { withoutCredentials } from '../../credentials.js';
import { displayText, plural } from '../../display-text.js';
import type { BatchObserver, Job, Outcome, Status } from '../../operations/batch.js';
import type { Reporter } from '../../reporter.js';
import { showDetails } from './check.js';
import { type Clock, SYSTEM_CLOCK } from './clock.js';
import { cut, widthOf } from './cut.js';
import { errorLines } from './error.js';
import { ProgressText } from './progress-text.js';
import { type Mark, sentence, type Terminal } from './terminal.js';

const COLORS: Record<Status, Mark['color']> = {
  wrote: 'green',
  unchanged: 'dim',
  same: 'dim',
  differs: 'yellow',
  failed: 'red',
  skipped: 'dim',
};

/** A line for a job that ended. */
function outcomeLine({ job, status, name, error }: Outcome): { text: string; mark: Mark } {
  const source = withoutCredentials(job.request.source);
  const named = name !== undefined && name !== source ? `${name} (${source})` : job.label;
  return {
    mark: { text: status, color: COLORS[status] },
    text: error ? `${job.label}: ${error.message}` : named,
  };
}

/** The table at the end, with the status of each source and the errors. */
export function showBatch(outcomes: readonly Outcome[], terminal: Terminal): void {
  const status = width(outcomes.map((outcome) => outcome.status));
  const names = width(outcomes.map(nameOf));
  for (const outcome of outcomes) {
    const mark: Mark = { text: outcome.status.padEnd(status), color: COLORS[outcome.status] };
    const row = [` ${nameOf(outcome).padEnd(names)}`, ` ${what(outcome)}`];
    terminal.result(what(outcome) === '' ? ` ${nameOf(outcome)}` : row, mark, status + 2);
    const { error, report } = outcome;
    if (report) showDetails(report, terminal);
    if (!error) continue;
    const more = errorLines({ ...error, details: error.details.slice(0, 5) });
    for (const { words, indent } of more) terminal.result(words, undefined, indent);
  }
  const counts = Object.keys(COLORS).flatMap((one) => {
    const count = outcomes.filter((outcome) => outcome.status === one).length;
    return count > 0 ? [`${count} ${one}`] : [];
  });
  terminal.result(counts.join(', '));
}

/** Shows a running batch: on a terminal, a line for each job in progress and a total; elsewhere, a line for each job that ended. */
export class BatchBoard implements BatchObserver {
  /** The outcomes of the jobs that ended. */
  readonly outcomes = new Map<Job, Outcome>();
  private readonly underWay = new Map<Job, ProgressText>();
  private done = 0;

  constructor(
    private readonly total: number,
    private readonly terminal: Terminal,
    private readonly clock: Clock = SYSTEM_CLOCK,
  ) {}

  begun(job: Job): void {
    this.textOf(job).update({ phase: 'step', what: 'started' });
    this.draw();
  }

  reporter(job: Job): Reporter {
    return {
      note: (text) => this.terminal.note(`${job.label}: ${text}`),
      warn: (text) => this.terminal.warn(`${job.label}: ${text}`),
      progress: (progress) => {
        this.textOf(job).update(progress);
        this.draw();
      },
      request: (request) => this.terminal.request(request),
    };
  }

  ended(outcome: Outcome): void {
    this.underWay.delete(outcome.job);
    this.outcomes.set(outcome.job, outcome);
    this.done += 1;
    const { mark, text } = outcomeLine(outcome);
    this.terminal.note(sentence(text), mark);
    this.draw();
  }

  private textOf(job: Job): ProgressText {
    const text = this.underWay.get(job) ?? new ProgressText(this.clock);
    this.underWay.set(job, text);
    return text;
  }

  private draw(): void {
    this.terminal.show({ lines: (columns) => this.lines(columns), plain: () => this.plain() });
  }

  private lines(columns: number): string[] {
    const jobs = [...this.underWay].map(([{ label }, text]) => {
      const name = `${cut(displayText(label), Math.floor(columns * LABEL_SHARE))}: `;
      return name + text.line(columns - widthOf(name));
    });
    return [...jobs, `${this.done} of ${this.total} done`];
  }

  private plain(): string {
    return `${this.done} of ${this.total} done, ${this.underWay.size} under way`;
  }
}

/** Share of the columns for the name of a job. */
const LABEL_SHARE = 0.4;

function nameOf({ job, name }: Outcome): string {
  return name ?? job.label;
}

function what({ rows, toolsets, error }: Outcome): string {
  if (error) return error.message;
  return rows === undefined || toolsets === undefined ? '' : `${plural(rows, 'row')}, ${plural(toolsets, 'toolset')}`;
}

function width(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length));
}
