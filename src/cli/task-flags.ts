import { z } from 'zod';
import type { DiscoverOptions, ProvidedTasksRequest } from '../discover/index.js';
import { UserError } from '../errors.js';
import { jsonFault } from '../rules/index.js';
import { pairs, textOrFile, whole } from './flag-types.js';

export const TASK_FLAGS = {
  tasks: z.string().min(1, 'wants a file').optional(),
  episodes: whole(1).optional(),
  seed: whole(0).optional(),
  seedKey: z.string().min(1, 'wants a name').optional(),
  prompt: z.string().transform(textOrFile).optional(),
  promptField: z.array(z.string().min(1, 'wants a name')).default([]),
  hideField: z.array(z.string()).default([]),
  fixField: pairs('=', 'NAME=VALUE'),
  toolDoc: z.string().transform(textOrFile).optional(),
};

type Given = z.infer<z.ZodObject<typeof TASK_FLAGS>>;

/** @throws UserError where a flag lacks the one that it goes with */
export function taskRequest(flags: Given): Pick<DiscoverOptions, 'provided' | 'prompt' | 'action'> {
  const { prompt, promptField, hideField, fixField, toolDoc } = flags;
  const provided = providedTasks(flags);
  if (provided === undefined && (prompt !== undefined || promptField.length > 0)) {
    throw new UserError('--prompt and --prompt-field are for provided tasks', {
      fix: 'add --episodes N or --tasks FILE; to add to the prompts of a server that lists tasks: --append-system-prompt',
    });
  }
  return {
    ...(provided ? { provided } : {}),
    prompt: { fields: promptField, ...(prompt === undefined ? {} : { text: prompt }) },
    action: {
      hide: hideField,
      fix: Object.fromEntries(fixField.map(([name, value]) => [name, json(value)])),
      ...(toolDoc === undefined ? {} : { doc: toolDoc }),
    },
  };
}

function providedTasks({ tasks, episodes, seed, seedKey }: Given): ProvidedTasksRequest | undefined {
  if (episodes !== undefined) return { episodes, seed: seed ?? 0, seedKey: seedKey ?? 'seed' };
  const alone = seed !== undefined ? '--seed' : seedKey !== undefined ? '--seed-key' : undefined;
  if (alone !== undefined) throw new UserError(`${alone} is for --episodes N`, { fix: 'add --episodes N' });
  return tasks === undefined ? undefined : { file: tasks };
}

/** What is no JSON is a text. */
function json(value: string): string {
  return jsonFault(value) === undefined ? value : JSON.stringify(value);
}
