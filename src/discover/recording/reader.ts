import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { UserError } from '../../errors.js';
import { LIMITS, OverLimit, overLimit } from '../../limits.js';
import type { DiscoverySummary, Served, Split, Task, Toolset } from '../../model.js';
import { gymgenCommand } from '../../printed-command.js';
import type { Reporter } from '../../reporter.js';
import { chooseSplits, countDifferentTasks, type TaskSelection } from '../listing.js';
import type { OpenDiscovery } from '../options.js';
import { ToolsetCounter, withinLimits } from '../tool-limits.js';
import { RecordingFile } from './file.js';
import { Header, Line, RECORDING_FORMAT } from './format.js';
import { ProbeChoice } from './probe-choice.js';

/** Whether a source is a recording: no other kind of source is a file. */
export async function isRecording(source: string): Promise<boolean> {
  const found = await stat(source).catch(() => undefined);
  return found?.isFile() ?? false;
}

export interface RecordingOptions extends TaskSelection {
  /** As in `DiscoverOptions`. Default: as when the source was recorded. */
  probes?: number;
  signal: AbortSignal;
}

/**
 * Opens a recording, which can be used in place of its server.
 * @throws UserError if the file is not a recording or is from a newer gymgen, or if a selected split is missing
 */
export async function openRecording(
  path: string,
  options: RecordingOptions,
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
    const what = `recording is from a newer gymgen (format ${header.format}, not ${RECORDING_FORMAT})`;
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
  private readonly choice: ProbeChoice;
  /** Toolsets of selected tasks. */
  private readonly met = new Set<Toolset>();
  private ordered: Toolset[] = [];
  private readonly counter: ToolsetCounter;
  /** Number of served tasks, for splits of which fewer were recorded. */
  private readonly servedTasks = new Map<string, number>();
  private otherSplits: readonly string[] | undefined;
  /** Not yet compared. */
  private digest: string | undefined;

  constructor(
    private readonly file: RecordingFile,
    header: Header,
    private readonly options: RecordingOptions,
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
    const chosen = this.choose(options.splits);
    this.splits = this.sections
      .filter(({ name }) => chosen.includes(name))
      .map(({ name, count }) => ({ name, count: Math.min(count, options.limit) }));
    const { probes = Number.POSITIVE_INFINITY } = options;
    this.choice = new ProbeChoice({ splits: this.splits, probes, provided: !!provided, action: action !== undefined });
  }

  /** What the source served when it was recorded; undefined before the end, and for a recording of an older gymgen. */
  get served(): Served | undefined {
    if (this.otherSplits === undefined) return undefined;
    const left = this.sections.filter(({ name }) => !this.splits.some((split) => split.name === name));
    return {
      tasks: Object.fromEntries(this.sections.map(({ name, count }) => [name, this.servedTasks.get(name) ?? count])),
      otherSplits: [...this.otherSplits, ...left.map(({ name }) => name)],
    };
  }

  /** Whether a split is in the recording. */
  has(split: string): boolean {
    return this.sections.some(({ name }) => name === split);
  }

  private choose(wanted: readonly string[]): string[] {
    const names = this.sections.map(({ name }) => name);
    const missing = wanted.filter((name) => !names.includes(name));
    if (missing.length === 0) return chooseSplits(names, wanted);
    throw new UserError(`not in this recording: ${missing.map((name) => `split '${name}'`).join(', ')}`, {
      where: this.file.path,
      fix: `record these splits, too, or pass --split with one of: ${names.join(', ')}`,
    });
  }

  async *tasks(split: Split): AsyncGenerator<Task[]> {
    let left = split.count;
    while (left > 0 && (await this.hasMore())) {
      const page: Task[] = [];
      while (left > 0) {
        const task = this.readLine();
        if (task === undefined) break;
        if (task?.split !== split.name) continue;
        this.met.add(task.toolset);
        this.choice.add(task);
        page.push(task);
        left -= 1;
      }
      if (page.length === 0) continue;
      const { name, count } = split;
      this.reporter.progress({ phase: 'read', from: name, unit: 'tasks', done: count - left, total: count });
      yield page;
    }
  }

  /** Reads the rest of the file, because a file without an end is truncated. */
  async finish(): Promise<DiscoverySummary> {
    while (await this.hasMore()) while (this.readLine() !== undefined);
    this.verify();
    return { toolsets: this.ordered };
  }

  private verify(): void {
    if (this.digest !== undefined) this.file.verifyDigest(this.digest);
    this.digest = undefined;
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
    if (line.type === 'split') this.beginSection(line);
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

  private beginSection({ name, served }: Extract<Line, { type: 'split' }>): void {
    this.assertSectionComplete();
    if (served !== undefined) this.servedTasks.set(name, served);
    this.section += 1;
    this.sectionTasks = 0;
    if (this.sections[this.section]?.name !== name) throw this.file.damaged(`split '${name}' is out of order`);
  }

  private readEnd(end: Extract<Line, { type: 'end' }>): void {
    const { tasks, toolsets, otherSplits, sha256 } = end;
    this.assertSectionComplete();
    if (this.section !== this.sections.length - 1 || tasks !== this.totalTasks) {
      throw this.file.damaged(`it has ${this.totalTasks} tasks instead of ${tasks}`);
    }
    if (toolsets.length > LIMITS.toolsets) throw overLimit('toolsets', { where: this.file.place });
    if (sha256 !== undefined) this.digest = sha256;
    if (otherSplits !== undefined) this.otherSplits = otherSplits;
    const recorded = toolsets.map(({ toolset: number, ...rest }) => {
      const toolset = this.toolset(number);
      return { ...rest, toolset: Object.assign(toolset, rest) };
    });
    const selected = recorded.filter(({ toolset }) => this.met.has(toolset));
    this.ordered = this.isWhole(end)
      ? selected.map(({ toolset }) => toolset)
      : this.choice.toolsets(selected, this.probedAll(end));
    this.ended = true;
  }

  /** Whether a server would be probed with the recorded tasks. An older recording does not say how it was probed. */
  private isWhole({ probes }: Extract<Line, { type: 'end' }>): boolean {
    const wanted = this.options.probes;
    const isSame = wanted === undefined || probes === undefined || wanted === (probes === 'all' ? Infinity : probes);
    const areAll = this.sections.every(({ name, count }) =>
      this.splits.some((split) => split.name === name && split.count === count),
    );
    return isSame && areAll;
  }

  private probedAll({ probes = 0 }: Extract<Line, { type: 'end' }>): boolean {
    return probes !== 'all' && countDifferentTasks(this.sections) <= probes;
  }

  private assertSectionComplete(): void {
    const section = this.sections[this.section];
    if (section && this.sectionTasks !== section.count) {
      throw this.file.damaged(`split '${section.name}' has ${this.sectionTasks} of its ${section.count} tasks`);
    }
  }
}
