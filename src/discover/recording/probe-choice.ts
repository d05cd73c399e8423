import type { Split, Task, TaskRef, Toolset } from '../../model.js';
import { countDifferentTasks, identityOf } from '../listing.js';

/** A toolset as it was recorded. */
export interface RecordedToolset {
  /** The object that tasks refer to, to be completed. */
  toolset: Toolset;
  key: string;
  tasks: TaskRef[];
  /** For `task:ID`, the key of each task before their tools were found to differ. */
  agents?: string[];
}

export interface ProbeChoiceOptions {
  /** The selected splits and numbers of tasks. */
  splits: readonly Split[];
  /** As in `DiscoverOptions`. */
  probes: number;
  /** Whether the user provides the tasks, which then all have one key. */
  provided: boolean;
  /** Whether the tool is the action of the environment, so that one task represents all. */
  action: boolean;
}

interface Candidate {
  ref: TaskRef;
  identity: string;
  toolset: Toolset;
}

/** A probed task, and the key that it had before. */
interface Single {
  candidate: Candidate;
  agent: string | undefined;
}

/** A toolset, its key unless its tasks were probed one by one, and its probed tasks. */
interface Group {
  toolset: Toolset;
  key?: string;
  tasks: TaskRef[];
}

/** How many tasks are kept around the middle and the end of a split, as in the discovery of a server. */
const NEARBY = 64;

/**
 * Decides which tasks a server would have been probed with, if a recording has more tasks or other probes than the run asks
 * for. It follows `Toolsets` in `probe/toolsets.ts`: with few tasks all, otherwise the first, the last and the middle one.
 */
export class ProbeChoice {
  private readonly total: number;
  private readonly all: boolean;
  private readonly largest: Split;
  private readonly first = new Map<Toolset, Candidate>();
  /** All tasks; none if only some of them are probed. */
  private readonly every = new Map<Toolset, Candidate[]>();
  private readonly near: Record<'last' | 'middle', Candidate[]> = { last: [], middle: [] };

  constructor(private readonly options: ProbeChoiceOptions) {
    const { splits, probes, provided, action } = options;
    this.total = provided ? splits.reduce((sum, { count }) => sum + count, 0) : countDifferentTasks(splits);
    this.all = this.total <= probes && Number.isFinite(probes) && !action;
    this.largest = splits.reduce((a, b) => (b.count > a.count ? b : a));
  }

  /** Notes a selected task, in the order of the recording. */
  add(task: Task): void {
    const { toolset } = task;
    const place = task.split === this.largest.name ? this.placesOf(task.index) : [];
    if (!this.all && place.length === 0 && this.first.has(toolset)) return;
    const candidate = { ref: refOf(task), identity: this.identityOf(task), toolset };
    if (!this.first.has(toolset)) this.first.set(toolset, candidate);
    if (this.all) this.every.set(toolset, [...(this.every.get(toolset) ?? []), candidate]);
    for (const name of place) this.near[name].push(candidate);
  }

  /**
   * The toolsets of the selected tasks with their keys and probed tasks, in the order of their first tasks.
   * @param probedAll whether all tasks were probed when the source was recorded
   */
  toolsets(recorded: readonly RecordedToolset[], probedAll: boolean): Toolset[] {
    const groups = this.groups(recorded, probedAll);
    const rank = ({ split, index }: TaskRef) =>
      this.options.splits.findIndex(({ name }) => name === split) * 2 ** 32 + index;
    const used = new Set<Toolset>();
    const found = groups.map(({ toolset: own, key, tasks }) => {
      const toolset = used.has(own) ? { ...own } : own;
      used.add(own);
      delete toolset.agents; // known only for all recorded tasks
      const sorted = tasks.sort((a, b) => rank(a) - rank(b));
      return Object.assign(toolset, { key: key ?? `task:${sorted[0]?.id}`, tasks: sorted });
    });
    return found.sort((a, b) => rank(a.tasks[0] as TaskRef) - rank(b.tasks[0] as TaskRef));
  }

  private groups(recorded: readonly RecordedToolset[], probedAll: boolean): Group[] {
    const groups: Group[] = [];
    const single: Single[] = [];
    for (const each of recorded) {
      const { toolset, key } = each;
      if (!key.startsWith('task:')) groups.push({ toolset, key, tasks: this.shared(each, probedAll) });
      else if (this.all) single.push(...this.singles(each));
      else groups.push({ toolset, tasks: this.selected(each) });
    }
    return [...groups, ...regrouped(single)];
  }

  /** The probed tasks of a toolset that all tasks with its key have. */
  private shared({ toolset, key, tasks }: RecordedToolset, probedAll: boolean): TaskRef[] {
    const first = this.first.get(toolset) as Candidate;
    if (key.startsWith('toolset:')) return [first.ref];
    if (this.all) {
      const own = distinct(this.every.get(toolset) ?? [], ({ identity }) => identity);
      // A task whose probe failed is not listed.
      const probed = own.filter(({ ref }) => !probedAll || tasks.some(({ id }) => id === ref.id));
      return (probed.length > 0 ? probed : own).map(({ ref }) => ref);
    }
    const chosen = [first];
    const lists = [this.near.last.toReversed(), this.near.middle].slice(
      0,
      this.options.action ? 0 : this.options.probes - 1,
    );
    for (const list of lists) {
      const isNew = ({ identity }: Candidate) => chosen.every((other) => other.identity !== identity);
      const next = list.find((candidate) => candidate.toolset === toolset && isNew(candidate));
      if (next) chosen.push(next);
    }
    return chosen.map(({ ref }) => ref);
  }

  private singles({ toolset, tasks, agents }: RecordedToolset): Single[] {
    const agentOf = ({ split, index, id }: TaskRef) => {
      const at = tasks.findIndex((task) => task.split === split && task.index === index);
      return agents?.[at === -1 ? tasks.findIndex((task) => task.id === id) : at];
    };
    const all = (this.every.get(toolset) ?? []).map((candidate) => ({ candidate, agent: agentOf(candidate.ref) }));
    return distinct(all, ({ candidate, agent }) => `${agent} ${candidate.identity}`);
  }

  private selected({ toolset, tasks }: RecordedToolset): TaskRef[] {
    const isSelected = ({ split, index }: TaskRef) =>
      this.options.splits.some(({ name, count }) => name === split && index < count);
    const selected = tasks.filter(isSelected);
    return selected.length > 0 ? selected : [(this.first.get(toolset) as Candidate).ref];
  }

  private placesOf(index: number): ('last' | 'middle')[] {
    const { count } = this.largest;
    const middle = count >> 1;
    return [
      ...(index >= count - NEARBY ? (['last'] as const) : []),
      ...(index >= middle && index < middle + NEARBY ? (['middle'] as const) : []),
    ];
  }

  /** As in the discovery, where the toolset follows from the task. Prompts of provided tasks come later. */
  private identityOf({ id, prompt, systemPrompt, reset }: Task): string {
    if (this.options.provided) return `${id} ${reset}`;
    return identityOf({ id, prompt: String(prompt), systemPrompt, key: '', split: '', index: 0, declared: false });
  }
}

/** Tasks of one agent whose tools do not differ in the selection share its key. */
function regrouped(singles: readonly Single[]): Group[] {
  const groups: Group[] = [];
  const own = new Map<Toolset, Group>();
  for (const agent of new Set(singles.map((single) => single.agent))) {
    const candidates = singles.filter((single) => single.agent === agent).map(({ candidate }) => candidate);
    const [first] = candidates as [Candidate];
    if (agent !== undefined && candidates.every(({ toolset }) => toolset === first.toolset)) {
      groups.push({ toolset: first.toolset, key: agent, tasks: candidates.map(({ ref }) => ref) });
      continue;
    }
    for (const { toolset, ref } of candidates) {
      const group = own.get(toolset) ?? { toolset, tasks: [] };
      group.tasks.push(ref);
      own.set(toolset, group);
    }
  }
  return [...groups, ...own.values()];
}

/** The first of the items that give the same text. */
function distinct<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const found = new Map<string, T>();
  for (const item of items) if (!found.has(textOf(item))) found.set(textOf(item), item);
  return [...found.values()];
}

function refOf({ split, index, id, reset }: Task): TaskRef {
  return { split, index, id, ...(reset === undefined ? {} : { reset }) };
}
