import type { TaskRef, Tool, Toolset } from '../model.js';
import { type ListedTask, nameOf } from './descriptor.js';
import type { Played } from './play.js';
import { ToolsetBounds } from './tool-bounds.js';

export type PlayedTask = Played & { task: ListedTask };

interface Learnt {
  toolset: Toolset;
  /** Without their prompts, which hold on to the page that they came in. */
  played: { task: TaskRef; turns: Tool[][] }[];
  /** The key that its tasks share; undefined where they were played one by one. */
  group: string | undefined;
}

/** Toolsets by what they hold: tasks with the same tools share one object, so that it is serialised once. */
export class SharedToolsets {
  private readonly known = new Map<string, Learnt>();
  private readonly bounds = new ToolsetBounds('the tools of all tasks');

  constructor(private readonly splits: readonly string[]) {}

  /** @param group the key that the played tasks share, where their tools are those of all its tasks */
  learn(played: PlayedTask[], group?: string): Toolset {
    const [{ turns }] = played as [PlayedTask];
    const id = `${group ?? 'task:'} ${toolsText(turns)}`;
    if (!this.known.has(id)) this.bounds.add(turns);
    const learnt = this.known.get(id) ?? { toolset: { key: group ?? '', tasks: [], turns }, played: [], group };
    this.known.set(id, learnt);
    for (const { task, turns } of played) {
      learnt.played.push({ task: { split: task.split, index: task.index, id: task.id }, turns });
    }
    return learnt.toolset;
  }

  /** In the order of their first task. Which play ended first changes nothing. */
  get list(): Toolset[] {
    const rank = ({ split, index }: TaskRef) => this.splits.indexOf(split) * 2 ** 32 + index;
    for (const { toolset, played, group } of this.known.values()) {
      const tasks = played.map(({ task }) => task).sort((a, b) => rank(a) - rank(b));
      played.sort((a, b) => b.turns.length - a.turns.length || rank(a.task) - rank(b.task));
      toolset.tasks = tasks;
      toolset.turns = played[0]?.turns ?? [];
      toolset.key = group ?? `task:${tasks[0]?.id}`;
    }
    const toolsets = [...this.known.values()].map(({ toolset }) => toolset);
    return toolsets.sort((a, b) => rank(a.tasks[0] as TaskRef) - rank(b.tasks[0] as TaskRef));
  }
}

/** In words, two of those that were played whose tools differ; null where there are none. */
export function unlike([one, ...rest]: PlayedTask[]): string | null {
  const other = one && rest.find(({ turns }) => toolsText(turns) !== toolsText(one.turns));
  return one && other ? `${offer(one)}, but ${offer(other)}` : null;
}

function offer({ task, turns }: PlayedTask): string {
  const offered = [...new Set(turns.flat().map((tool) => tool.name))];
  return `${nameOf(task)} has ${offered.join(', ') || 'none'}`;
}

/** The tools of all turns as one text; turns that offer no more than those before don't change it. */
function toolsText(turns: Tool[][]): string {
  const texts = turns
    .flat()
    .map(({ name, description, parameters }) => JSON.stringify([name, description, parameters]));
  return [...new Set(texts)].join('\n');
}
