import { z } from 'zod';
import { formatCount } from '../display-text.js';
import { UserError } from '../errors.js';
import { LIMITS, OverLimit, overLimit } from '../limits.js';
import type { Split, Task, TaskRef, Toolset } from '../model.js';
import { gymgenCommand } from '../printed-command.js';
import { chosenSplits } from './chosen-splits.js';
import type { OpenDiscovery } from './options.js';
import { Header, Line, RECORDING_FORMAT } from './recording.js';
import { RecordingLines } from './recording-lines.js';
import type { Reporter } from './reporter.js';
import { boundedTools, ToolsetBounds } from './tool-bounds.js';

export interface RecordedOptions {
  /** Names of the splits to read; all where it is empty. */
  splits: readonly string[];
  /** Tasks of a split, at most. */
  limit: number;
  signal: AbortSignal;
}

/**
 * What `gymgen record` kept of a server, in its place.
 * @throws UserError where the file is no recording, a newer gymgen's, or lacks a split that is asked for
 */
export async function openRecording(
  path: string,
  options: RecordedOptions,
  reporter: Reporter,
): Promise<RecordedDiscovery> {
  const lines = await RecordingLines.open(path);
  try {
    const header = await readHeader(path, lines);
    if (header.splits.length > LIMITS.splits) throw overLimit('splits', { where: path });
    return new RecordedDiscovery(lines, header, options, reporter);
  } catch (error) {
    lines.close();
    throw error;
  }
}

const AnyFormat = z.looseObject({ type: z.literal('gymgen-recording'), format: z.int().positive() });

async function readHeader(path: string, lines: RecordingLines): Promise<Header> {
  const header = (await lines.more()) ? firstLine(lines) : undefined;
  if (header === undefined) {
    throw new UserError('the file is no recording of gymgen', {
      where: path,
      fix: `make one with: ${gymgenCommand`record <source> ${path}`}`,
    });
  }
  if (header.format > RECORDING_FORMAT) {
    const what = `a newer gymgen made this recording (format ${header.format}; this one reads ${RECORDING_FORMAT})`;
    throw new UserError(what, { where: path, fix: 'update gymgen' });
  }
  return lines.checked(Header, header);
}

function firstLine(lines: RecordingLines) {
  try {
    return lines.take(AnyFormat);
  } catch (error) {
    if (error instanceof OverLimit) throw error;
    return undefined;
  }
}

/** Read once, from its start to its end: splits that aren't asked for are read over. */
export class RecordedDiscovery implements OpenDiscovery {
  /** What a config says of where the tasks are. */
  readonly server: Header['server'];
  readonly envName: string;
  readonly splits: Split[];
  readonly provided?: boolean;
  readonly action?: NonNullable<OpenDiscovery['action']>;
  readonly rewardRule?: 'sum';
  private readonly sections: Split[];
  /** The section that is being read, and how many of its tasks were. */
  private section = -1;
  private read = 0;
  private tasksRead = 0;
  private ended = false;
  private readonly numbered: Toolset[] = [];
  /** Toolsets of the tasks that were read, with the first of each. */
  private readonly met = new Map<Toolset, TaskRef>();
  private ordered: Toolset[] = [];
  private readonly bounds: ToolsetBounds;

  constructor(
    private readonly lines: RecordingLines,
    header: Header,
    private readonly options: RecordedOptions,
    private readonly reporter: Reporter,
  ) {
    this.bounds = new ToolsetBounds(lines.path);
    this.server = header.server;
    this.envName = header.environment;
    const { given, action, rewardRule } = header;
    Object.assign(this, {
      ...(given && { provided: given }),
      ...(action && { action }),
      ...(rewardRule && { rewardRule }),
    });
    this.sections = header.splits;
    const names = this.sections.map(({ name }) => name);
    const chosen = chosenSplits(names, options.splits);
    this.splits = this.sections
      .filter(({ name }) => chosen.includes(name))
      .map(({ name, count }) => ({ name, count: Math.min(count, options.limit) }));
  }

  async *tasks(split: Split): AsyncGenerator<Task[]> {
    let left = split.count;
    while (left > 0 && (await this.more())) {
      const page: Task[] = [];
      while (left > 0) {
        const task = this.next();
        if (task === undefined) break;
        if (task?.split !== split.name) continue;
        if (!this.met.has(task.toolset)) this.met.set(task.toolset, refOf(task));
        page.push(task);
        left -= 1;
      }
      if (page.length === 0) continue;
      this.reporter.progress(`${split.name}: ${formatCount(split.count - left)} tasks read`);
      yield page;
    }
    // What comes in the end is needed, and where it is missing the file was cut off.
    if (split === this.splits.at(-1)) while (await this.more()) while (this.next() !== undefined);
  }

  toolsets(): Toolset[] {
    return this.ended ? this.ordered.filter((toolset) => this.met.has(toolset)) : [...this.met.keys()];
  }

  counts() {
    return { sessions: 0, requests: 0, bytes: 0 };
  }

  async close(): Promise<void> {
    this.lines.close();
  }

  /** Makes sure that there is a line for `next`; false once the last one was read. */
  private async more(): Promise<boolean> {
    this.options.signal.throwIfAborted();
    if (await this.lines.more()) return true;
    if (this.ended) return false;
    throw this.lines.damaged('it was cut off after this line');
  }

  /** Takes in the next line: the task that it is, null for another line, undefined where `more` has to be asked. */
  private next(): Task | null | undefined {
    const line = this.lines.take(Line);
    if (line === undefined) return undefined;
    if (this.ended) throw this.lines.damaged('there is more after its end');
    if (line.type === 'task') return this.task(line);
    if (line.type === 'split') this.begin(line.name);
    else if (line.type === 'end') this.finish(line);
    else {
      if (line.toolset !== this.numbered.length) throw this.lines.damaged(`toolset ${line.toolset} is out of order`);
      this.numbered.push({ key: '', tasks: [], turns: this.bounded(line.turns) });
    }
    return null;
  }

  private bounded(turns: Toolset['turns']): Toolset['turns'] {
    this.bounds.add(turns);
    for (const turn of turns) boundedTools(turn, this.lines.place);
    return turns;
  }

  private task({ index, toolset: number, ...rest }: Extract<Line, { type: 'task' }>): Task {
    const section = this.sections[this.section];
    const toolset = this.numbered[number];
    if (!section || index !== this.read) throw this.lines.damaged(`task ${index} is out of order`);
    if (!toolset) throw this.lines.damaged(`toolset ${number} is missing`);
    this.read += 1;
    this.tasksRead += 1;
    const { type: _, ...told } = rest;
    return { split: section.name, index, ...told, toolset };
  }

  private begin(name: string): void {
    this.assertWhole();
    this.section += 1;
    this.read = 0;
    if (this.sections[this.section]?.name !== name) throw this.lines.damaged(`split '${name}' is out of order`);
  }

  private finish({ tasks, toolsets }: Extract<Line, { type: 'end' }>): void {
    this.assertWhole();
    if (this.section !== this.sections.length - 1 || tasks !== this.tasksRead) {
      throw this.lines.damaged(`it has ${this.tasksRead} tasks of ${tasks}`);
    }
    if (toolsets.length > LIMITS.toolsets) throw overLimit('toolsets', { where: this.lines.place });
    this.ordered = toolsets.map(({ toolset: number, ...told }) => {
      const toolset = this.numbered[number];
      if (!toolset) throw this.lines.damaged(`toolset ${number} is missing`);
      return Object.assign(toolset, told, { tasks: this.taught(toolset, told) });
    });
    this.ended = true;
  }

  /** A declared toolset is learnt from its first task, which is another one where not all splits are read. */
  private taught(toolset: Toolset, { key, tasks }: Pick<Toolset, 'key' | 'tasks'>): TaskRef[] {
    const first = this.met.get(toolset);
    const wasRead = ({ split, index }: TaskRef) =>
      this.splits.some(({ name, count }) => name === split && index < count);
    return key.startsWith('toolset:') && first && !tasks.every(wasRead) ? [first] : tasks;
  }

  private assertWhole(): void {
    const section = this.sections[this.section];
    if (section && this.read !== section.count) {
      throw this.lines.damaged(`split '${section.name}' has ${this.read} of its ${section.count} tasks`);
    }
  }
}

function refOf({ split, index, id, reset }: Task): TaskRef {
  return { split, index, id, ...(reset === undefined ? {} : { reset }) };
}
