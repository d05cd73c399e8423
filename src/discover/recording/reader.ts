import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { formatCount } from '../../display-text.js';
import { UserError } from '../../errors.js';
import { LIMITS, OverLimit, overLimit } from '../../limits.js';
import type { DiscoverySummary, Reporter, Split, Task, TaskRef, Toolset } from '../../model.js';
import { gymgenCommand } from '../../printed-command.js';
import { chooseSplits, type TaskSelection } from '../listing.js';
import type { OpenDiscovery } from '../options.js';
import { ToolsetCounter, withinLimits } from '../tool-limits.js';
import { RecordingFile } from './file.js';
import { Header, Line, RECORDING_FORMAT } from './format.js';

/** Whether a source is a recording: no other kind of source is a file. */
export async function isRecording(source: string): Promise<boolean> {
  const found = await stat(source).catch(() => undefined);
  return found?.isFile() ?? false;
}

/**
 * Opens a recording, which can be used in place of its server.
 * @throws UserError if the file is not a recording or is from a newer gymgen, or if a selected split is missing
 */
export async function openRecording(
  path: string,
  options: TaskSelection & { signal: AbortSignal },
  reporter: Reporter,
): Promise<RecordedDiscovery> {
  const file = await RecordingFile.open(path);
  try {
    const header = await readHeader(path, file);
    if (header.splits.length > LIMITS.splits) throw overLimit('splits', { where: path });
    return new RecordedDiscovery(file, header, options, reporter);
  } catch (error) {
    file.close();
    throw error;
  }
}

const AnyFormat = z.looseObject({ type: z.literal('gymgen-recording'), format: z.int().positive() });

async function readHeader(path: string, file: RecordingFile): Promise<Header> {
  const header = (await file.hasMore()) ? firstLine(file) : undefined;
  if (header === undefined) {
    throw new UserError('not a gymgen recording', {
      where: path,
      fix: `create one with: ${gymgenCommand`record <source> ${path}`}`,
    });
  }
  if (header.format > RECORDING_FORMAT) {
    const what = `recording is from a newer gymgen (format ${header.format}; this version reads ${RECORDING_FORMAT})`;
    throw new UserError(what, { where: path, fix: 'update gymgen' });
  }
  return file.validate(Header, header);
}

function firstLine(file: RecordingFile) {
  try {
    return file.nextLine(AnyFormat);
  } catch (error) {
    if (error instanceof OverLimit) throw error;
    return undefined;
  }
}

/** Reads a recording once, from start to end. Splits that are not selected are skipped. */
export class RecordedDiscovery implements OpenDiscovery {
  /** Where the tasks are, as the config names it. */
  readonly server: Header['server'];
  readonly envName: string;
  readonly splits: Split[];
  readonly provided?: boolean;
  readonly action?: NonNullable<OpenDiscovery['action']>;
  readonly rewardRule?: 'sum';
  /** All splits of the recording. */
  private readonly sections: Split[];
  /** The split that is being read, and the number of its tasks read so far. */
  private section = -1;
  private sectionTasks = 0;
  private totalTasks = 0;
  private ended = false;
  /** Toolsets by number. */
  private readonly numbered: Toolset[] = [];
  /** The toolsets of selected tasks, each with its first task. */
  private readonly met = new Map<Toolset, TaskRef>();
  private ordered: Toolset[] = [];
  private readonly counter: ToolsetCounter;

  constructor(
    private readonly file: RecordingFile,
    header: Header,
    private readonly options: TaskSelection & { signal: AbortSignal },
    private readonly reporter: Reporter,
  ) {
    this.counter = new ToolsetCounter(file.path);
    this.server = header.server;
    this.envName = header.environment;
    const { provided, action, rewardRule } = header;
    Object.assign(this, {
      ...(provided && { provided }),
      ...(action && { action }),
      ...(rewardRule && { rewardRule }),
    });
    this.sections = header.splits;
    const names = this.sections.map(({ name }) => name);
    const chosen = chooseSplits(names, options.splits);
    this.splits = this.sections
      .filter(({ name }) => chosen.includes(name))
      .map(({ name, count }) => ({ name, count: Math.min(count, options.limit) }));
  }

  async *tasks(split: Split): AsyncGenerator<Task[]> {
    let left = split.count;
    while (left > 0 && (await this.hasMore())) {
      const page: Task[] = [];
      while (left > 0) {
        const task = this.readLine();
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
  }

  /** Reads the rest of the file, because a file without an end is truncated. */
  async finish(): Promise<DiscoverySummary> {
    while (await this.hasMore()) while (this.readLine() !== undefined);
    return { toolsets: this.ordered.filter((toolset) => this.met.has(toolset)) };
  }

  counts() {
    return { sessions: 0, requests: 0, bytes: 0 };
  }

  async close(): Promise<void> {
    this.file.close();
  }

  /** Prepares a line for `readLine`; false at the end. */
  private async hasMore(): Promise<boolean> {
    this.options.signal.throwIfAborted();
    if (await this.file.hasMore()) return true;
    if (this.ended) return false;
    throw this.file.damaged('truncated after this line');
  }

  /** Reads a line: its task, null if it is another line, or undefined if `hasMore` must be called first. */
  private readLine(): Task | null | undefined {
    const line = this.file.nextLine(Line);
    if (line === undefined) return undefined;
    if (this.ended) throw this.file.damaged('unexpected line after the end');
    if (line.type === 'task') return this.readTask(line);
    if (line.type === 'split') this.beginSection(line.name);
    else if (line.type === 'end') this.readEnd(line);
    else this.addToolset(line);
    return null;
  }

  private addToolset({ toolset: number, turns }: Extract<Line, { type: 'toolset' }>): void {
    if (number !== this.numbered.length) throw this.file.damaged(`toolset ${number} is out of order`);
    this.counter.add(turns);
    for (const turn of turns) withinLimits(turn, this.file.place);
    this.numbered.push({ key: '', tasks: [], turns });
  }

  private readTask({ index, toolset: number, ...rest }: Extract<Line, { type: 'task' }>): Task {
    const section = this.sections[this.section];
    if (!section || index !== this.sectionTasks) throw this.file.damaged(`task ${index} is out of order`);
    const toolset = this.toolset(number);
    this.sectionTasks += 1;
    this.totalTasks += 1;
    const { type: _, ...task } = rest;
    return { split: section.name, index, ...task, toolset };
  }

  private toolset(number: number): Toolset {
    const toolset = this.numbered[number];
    if (!toolset) throw this.file.damaged(`toolset ${number} is missing`);
    return toolset;
  }

  private beginSection(name: string): void {
    this.assertSectionComplete();
    this.section += 1;
    this.sectionTasks = 0;
    if (this.sections[this.section]?.name !== name) throw this.file.damaged(`split '${name}' is out of order`);
  }

  private readEnd({ tasks, toolsets }: Extract<Line, { type: 'end' }>): void {
    this.assertSectionComplete();
    if (this.section !== this.sections.length - 1 || tasks !== this.totalTasks) {
      throw this.file.damaged(`it has ${this.totalTasks} tasks instead of ${tasks}`);
    }
    if (toolsets.length > LIMITS.toolsets) throw overLimit('toolsets', { where: this.file.place });
    this.ordered = toolsets.map(({ toolset: number, ...recorded }) => {
      const toolset = this.toolset(number);
      return Object.assign(toolset, recorded, { tasks: this.probedTasks(toolset, recorded) });
    });
    this.ended = true;
  }

  /** The probed tasks of a toolset. A declared one is probed at its first task, which depends on the selected splits. */
  private probedTasks(toolset: Toolset, { key, tasks }: Pick<Toolset, 'key' | 'tasks'>): TaskRef[] {
    const first = this.met.get(toolset);
    const isSelected = ({ split, index }: TaskRef) =>
      this.splits.some(({ name, count }) => name === split && index < count);
    return key.startsWith('toolset:') && first && !tasks.every(isSelected) ? [first] : tasks;
  }

  private assertSectionComplete(): void {
    const section = this.sections[this.section];
    if (section && this.sectionTasks !== section.count) {
      throw this.file.damaged(`split '${section.name}' has ${this.sectionTasks} of its ${section.count} tasks`);
    }
  }
}

function refOf({ split, index, id, reset }: Task): TaskRef {
  return { split, index, id, ...(reset === undefined ? {} : { reset }) };
}
