import type { TaskRef, Tool, Toolset } from '../../model.js';
import { type ListedTask, nameOf } from '../listing.js';
import { ToolsetCounter } from '../tool-limits.js';
import type { ProbeResult } from './episode.js';

/** A task, with the tools that its probe found. */
export interface TaskTools extends Pick<ProbeResult, 'turns'> {
  task: ListedTask;
}

interface Learned {
  toolset: Toolset;
  /** Without prompts, because a prompt keeps the memory of its whole page in use. */
  probed: { task: TaskRef; agent: string; turns: Tool[][] }[];
  /** The key that the tasks share; undefined for tasks that were probed one by one. */
  group: string | undefined;
}

/** Toolsets by content. Tasks with the same tools share one object, which is then serialized once. */
export class SharedToolsets {
  private readonly byContent = new Map<string, Learned>();
  private readonly counter = new ToolsetCounter('the tools of all tasks');

  /** @param splits the order of the splits */
  constructor(private readonly splits: readonly string[]) {}

  /**
   * Adds the tools of probed tasks, which are the same for all of them.
   * @param group the key of the tasks, if all tasks with this key have these tools
   */
  add(probed: TaskTools[], group?: string): Toolset {
    const [{ turns }] = probed as [TaskTools];
    const content = `${group ?? 'task:'} ${toolsText(turns)}`;
    let learned = this.byContent.get(content);
    if (learned === undefined) {
      this.counter.add(turns);
      learned = { toolset: { key: group ?? '', tasks: [], turns }, probed: [], group };
      this.byContent.set(content, learned);
    }
    for (const { task, turns } of probed) {
      learned.probed.push({ task: { split: task.split, index: task.index, id: task.id }, agent: task.key, turns });
    }
    return learned.toolset;
  }

  /** All toolsets in the order of their first tasks, whatever the order in which the probes ended. */
  get list(): Toolset[] {
    const rank = ({ split, index }: TaskRef) => this.splits.indexOf(split) * 2 ** 32 + index;
    for (const { toolset, probed, group } of this.byContent.values()) {
      probed.sort((a, b) => rank(a.task) - rank(b.task));
      const tasks = probed.map(({ task }) => task);
      if (group === undefined) toolset.agents = probed.map(({ agent }) => agent);
      probed.sort((a, b) => b.turns.length - a.turns.length || rank(a.task) - rank(b.task));
      toolset.tasks = tasks;
      toolset.turns = probed[0]?.turns ?? [];
      toolset.key = group ?? `task:${tasks[0]?.id}`;
    }
    const toolsets = [...this.byContent.values()].map(({ toolset }) => toolset);
    return toolsets.sort((a, b) => rank(a.tasks[0] as TaskRef) - rank(b.tasks[0] as TaskRef));
  }
}

/** Names two probed tasks with different tools; null if all have the same. */
export function describeDifference([first, ...rest]: TaskTools[]): string | null {
  const other = first && rest.find(({ turns }) => toolsText(turns) !== toolsText(first.turns));
  return first && other ? `${describeTools(first)}, but ${describeTools(other)}` : null;
}

function describeTools({ task, turns }: TaskTools): string {
  const names = [...new Set(turns.flat().map((tool) => tool.name))];
  return `${nameOf(task)} has ${names.join(', ') || 'none'}`;
}

/** The different tools of all turns as one text. Further turns with the same tools do not change it. */
function toolsText(turns: Tool[][]): string {
  const texts = turns
    .flat()
    .map(({ name, description, parameters }) => JSON.stringify([name, description, parameters]));
  return [...new Set(texts)].join('\n');
}
