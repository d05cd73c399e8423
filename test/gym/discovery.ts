import type { Discovery, GymOptions, Split, Task, Tool, Toolset } from '../../src/model.js';

export function tool(
  name: string,
  parameters = '{"type":"object","properties":{}}',
  description = `Runs ${name}.`,
): Tool {
  return { name, description, parameters };
}

export function toolset(turns: Tool[][], key = 'agent:solver'): Toolset {
  return { key, tasks: [{ split: 'train', index: 0, id: '@local/srv/envs/gridsim-v1/day-0' }], turns };
}

export const SOLVER = toolset([[tool('submit_schedule'), tool('end_turn')]]);

export function task(index: number, changes: Partial<Task> = {}): Task {
  return {
    split: 'train',
    index,
    id: `@local/srv/envs/gridsim-v1/day-${index}`,
    prompt: `Day ${index}`,
    systemPrompt: 'You run a battery.',
    toolset: SOLVER,
    ...changes,
  };
}

/** A discovery of these tasks, in pages of two. */
export function discovery(tasks: Task[], changes: Partial<Discovery> = {}): Discovery {
  const splits: Split[] = [...new Set(tasks.map(({ split }) => split))].map((name) => ({
    name,
    count: tasks.filter(({ split }) => split === name).length,
  }));
  return {
    envName: 'gridsim-v1',
    splits,
    async *tasks(split) {
      const all = tasks.filter((one) => one.split === split.name);
      for (let start = 0; start < all.length; start += 2) yield all.slice(start, start + 2);
    },
    finish: async () => ({ toolsets: [...new Set(tasks.map((one) => one.toolset))] }),
    ...changes,
  };
}

export function options(changes: Partial<GymOptions> = {}): GymOptions {
  return {
    name: 'gridsim_v1',
    server: { url: 'http://127.0.0.1:8000' },
    headers: {},
    renameTools: {},
    settings: {},
    fullIds: false,
    ...changes,
  };
}
