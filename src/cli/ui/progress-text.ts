import { displayText, formatCount } from '../../display-text.js';
import type { Progress } from '../../reporter.js';
import type { Clock } from './clock.js';
import { cut, widthOf } from './cut.js';

/** When a phase began, and what was finished then. */
interface Start {
  at: number;
  done: number;
}

/** Part of the columns that a name may take if it does not fit, so that counts stay visible. */
const NAME_SHARE = 0.4;

/** Describes what a run is doing, with the time that it has taken and the time that is left. */
export class ProgressText {
  private progress: Progress | undefined;
  private start: Start = { at: 0, done: 0 };
  /** Reading and probing take turns, so a phase may begin again. */
  private readonly starts = new Map<string, Start>();

  constructor(private readonly clock: Clock) {}

  update(progress: Progress): void {
    const key = keyOf(progress);
    const known = progress.phase === 'wait' ? undefined : this.starts.get(key);
    this.start = known ?? { at: this.clock.now(), done: 'done' in progress ? (progress.done ?? 0) : 0 };
    this.starts.set(key, this.start);
    this.progress = progress;
  }

  /** One line, of at most that many columns. The longest description that fits is shown. */
  line(columns = Number.POSITIVE_INFINITY): string {
    if (this.progress === undefined) return '';
    const seconds = (this.clock.now() - this.start.at) / 1000;
    const choices = [Number.POSITIVE_INFINITY, Math.floor(columns * NAME_SHARE)].flatMap((most) =>
      describe(this.progress as Progress, seconds, this.start.done, most),
    );
    return cut(choices.find((text) => widthOf(text) <= columns) ?? (choices.at(-1) as string), columns);
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
      return timed(`waiting for ${name(progress.server)}`);
    case 'probe': {
      const { done, total, tasks } = progress;
      const toolsets = `probing ${Math.min(done + 1, total)} of ${many(total, 'toolset')}`;
      return tasks.total < 2 ? timed(toolsets) : [...timed(`${toolsets}, ${ratio(tasks)} tasks`), ...timed(toolsets)];
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

function many(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}

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
