import { displayText, formatCount, plural } from '../../display-text.js';
import type { Progress } from '../../reporter.js';
import type { Clock } from './clock.js';
import { cut, widthOf } from './cut.js';

/** A phase that has begun. Reading and probing take turns, so only the time that a phase was shown counts. */
interface Begun {
  /** Milliseconds, without the current turn. */
  spent: number;
  /** What was finished when the phase began. */
  before: number;
}

/** Share of the columns for a name that does not fit, so that counts stay visible. */
const NAME_SHARE = 0.4;

/** Describes what a run is doing, with the elapsed time and the remaining time. */
export class ProgressText {
  private progress: Progress | undefined;
  private phase: Begun = { spent: 0, before: 0 };
  private turn = 0;
  private readonly begun = new Map<string, Begun>();

  constructor(private readonly clock: Clock) {}

  update(progress: Progress): void {
    const known = progress.phase === 'wait' ? undefined : this.begun.get(keyOf(progress));
    const phase = known ?? { spent: 0, before: 'done' in progress ? (progress.done ?? 0) : 0 };
    if (phase !== this.phase) {
      this.phase.spent += this.clock.now() - this.turn;
      this.turn = this.clock.now();
      this.begun.set(keyOf(progress), phase);
    }
    this.phase = phase;
    this.progress = progress;
  }

  /** One line of up to `columns` columns, with the longest description that fits. */
  line(columns = Number.POSITIVE_INFINITY): string {
    if (this.progress === undefined) return '';
    const { spent, before } = this.phase;
    const seconds = (spent + this.clock.now() - this.turn) / 1000;
    const [complete = ''] = describe(this.progress, seconds, before, Number.POSITIVE_INFINITY);
    const shorter = describe(this.progress, seconds, before, Math.floor(columns * NAME_SHARE));
    return [complete, ...shorter].find((text) => widthOf(text) <= columns) ?? cut(shorter.at(-1) as string, columns);
  }
}

function keyOf(progress: Progress): string {
  if (progress.phase === 'read') return `read ${progress.from}`;
  return 'what' in progress ? `${progress.phase} ${progress.what}` : progress.phase;
}

/**
 * Descriptions of a step, the longest first.
 * @param before what was finished when the phase began
 * @param columns that a name may take
 */
function describe(progress: Progress, seconds: number, before: number, columns: number): string[] {
  const elapsed = seconds < 1 ? '' : `, ${duration(seconds)}`;
  const timed = (text: string) => [text + elapsed, text];
  const name = (text: string) => cut(displayText(text), columns);
  switch (progress.phase) {
    case 'connect':
      return timed(`waiting for ${cut(displayText(progress.server), 1.5 * columns)}`);
    case 'probe': {
      const { done, total, tasks } = progress;
      const toolsets = `probing ${Math.min(done + 1, total)} of ${plural(total, 'toolset')}`;
      const complete = tasks.total < 2 ? toolsets : `${toolsets}, ${ratio(tasks)} tasks`;
      return [complete + elapsed, ...timed(toolsets)];
    }
    case 'read':
      return counted(`${name(progress.from)} `, progress, progress.unit, seconds, before);
    case 'play':
      return counted('played ', progress, 'rollouts', seconds, before);
    case 'install':
      return timed(`installing ${displayText(progress.what)}`);
    case 'start': {
      const { what, done, total } = progress;
      const ready = done === undefined || total === undefined ? '' : `, ${ratio({ done, total })} ready`;
      return timed(`starting ${displayText(what)}${ready}`);
    }
    case 'wait':
      return [`${displayText(progress.reason)}: trying again in ${duration(Math.max(0, progress.seconds - seconds))}`];
    case 'step':
      return timed(displayText(progress.what));
  }
}

function counted(
  verb: string,
  { done, total }: { done: number; total?: number },
  unit: string,
  seconds: number,
  before: number,
): string[] {
  const text = total === undefined ? `${verb}${formatCount(done)} ${unit}` : `${verb}${ratio({ done, total })} ${unit}`;
  const elapsed = seconds < 1 ? '' : `${done === 0 ? ',' : ' in'} ${duration(seconds)}`;
  const percent = total === undefined || done === 0 ? '' : `, ${Math.floor((100 * done) / total)} %`;
  const rate = seconds < 1 ? 0 : (done - before) / seconds;
  if (rate === 0) return [text + percent + elapsed, text + percent, text];
  const left = total === undefined || done >= total ? '' : `, ${duration((total - done) / rate)} left`;
  return [
    `${text}${percent}${elapsed}, ${perSecond(rate)}${left}`,
    `${text}${percent}${elapsed}${left}`,
    `${text}${percent}${left}`,
    `${text}${percent}`,
    text,
  ];
}

const ratio = ({ done, total }: { done: number; total: number }) => `${formatCount(done)} of ${formatCount(total)}`;

/** Such as `2,100 a second`, with two significant digits. */
function perSecond(rate: number): string {
  const rounded = (number: number) => {
    const digits = Number(number.toPrecision(2));
    return digits < 1000 ? String(digits) : formatCount(digits);
  };
  return rate < 0.1 ? `${rounded(rate * 60)} a minute` : `${rounded(rate)} a second`;
}

/** Such as `10 s`, `2 min 5 s` or `1 h 3 min`. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds - 0.5);
  if (whole < 60) return `${whole} s`;
  const [minutes, hours] = [Math.floor(whole / 60), Math.floor(whole / 3600)];
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min ${whole % 60} s`;
}
