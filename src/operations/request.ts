import path from 'node:path';
import type { DiscoverOptions, ProvidedTasksRequest } from '../discover/index.js';
import { UsageError } from '../errors.js';
import { parseFlags, recordedFlags } from '../options/flags.js';
import { type Flags, OPTIONS, type OptionValues } from '../options/index.js';
import { jsonProblem } from '../rules/index.js';
import { headersOf } from './headers.js';
import type { WriteRequest } from './write.js';

/**
 * Turns options into a request.
 * @throws UserError if the value of an option is invalid, or if options cannot be combined
 */
export function requestOf(source: string, gymRoot: string, flags: Flags): WriteRequest {
  const values = parseFlags(flags);
  if (values.datasets === 'none' && values.license !== undefined) {
    throw new UsageError('--license needs datasets', { fix: 'leave out --license, or --datasets none' });
  }
  const { name, configUrl, trustRecording, datasets, license, appendSystemPrompt, force = false } = values;
  const { resetTimeout, toolTimeout, idleTimeout, maxSteps, reward, rewardRule, maxConcurrentEnvs } = values;
  const { sent, written } = headersOf(values);
  const python = values.python && programPath(values.python, process.cwd());
  const bundle = defined({ reward, maxConcurrentEnvs, sandbox: values.sandbox, absolute: values.absolute, python });
  return {
    source,
    gymRoot,
    ...defined({ name, configUrl, trustRecording }),
    ...(Object.keys(bundle).length > 0 ? { bundle } : {}),
    discover: {
      headers: sent,
      splits: values.split ?? [],
      limit: values.limit ?? Number.POSITIVE_INFINITY,
      probes: values.probes ?? OPTIONS.probes.default,
      turns: values.probeTurns ?? OPTIONS.probeTurns.default,
      maxSessions: values.maxSessions ?? OPTIONS.maxSessions.default,
      resetTimeout: resetTimeout ?? OPTIONS.resetTimeout.default,
      toolTimeout: toolTimeout ?? OPTIONS.toolTimeout.default,
      ...taskRequest(values),
      bounded: maxSteps !== undefined,
    },
    gym: {
      headers: written,
      renameTools: Object.fromEntries(values.renameTool ?? []),
      settings: defined({
        tool_timeout: toolTimeout,
        reset_timeout: resetTimeout,
        idle_timeout: idleTimeout,
        max_concurrent_envs: maxConcurrentEnvs,
        reward,
        reward_rule: rewardRule,
        max_steps: maxSteps,
      }),
      ...defined({ appendSystemPrompt }),
      datasets: { splits: datasets ?? 'usual', license: license ?? OPTIONS.license.default },
      fullIds: values.fullIds ?? false,
    },
    record: recordedFlags(flags, values) as WriteRequest['record'],
    edits: force ? 'ours' : 'refuse',
    dropPrompts: force,
    dryRun: values.dryRun ?? false,
    strict: values.strict ?? false,
  };
}

/** A program as a path or as a name on PATH. It may be started in another folder than this one. */
export function programPath(program: string, folder: string): string {
  return program.includes('/') || program.includes(path.sep) ? path.resolve(folder, program) : program;
}

/** @throws UserError if an option is passed without another one that it needs */
function taskRequest(values: OptionValues): Pick<DiscoverOptions, 'provided' | 'prompt' | 'action'> {
  const { prompt, promptField = [], hideField = [], fixField = [], toolDoc } = values;
  const provided = providedTasks(values);
  if (provided === undefined && (prompt !== undefined || promptField.length > 0)) {
    throw new UsageError('--prompt and --prompt-field need --tasks or --episodes', {
      fix: 'add --episodes N or --tasks FILE; if the server lists its tasks, use --append-system-prompt',
    });
  }
  return {
    ...(provided ? { provided } : {}),
    prompt: { fields: promptField, ...(prompt === undefined ? {} : { text: prompt }) },
    action: {
      hide: hideField,
      fix: Object.fromEntries(fixField.map(([name, value]) => [name, jsonText(value)])),
      ...(toolDoc === undefined ? {} : { doc: toolDoc }),
    },
  };
}

function providedTasks({ tasks, episodes, seed, seedKey }: OptionValues): ProvidedTasksRequest | undefined {
  if (episodes !== undefined) {
    return { episodes, seed: seed ?? OPTIONS.seed.default, seedKey: seedKey ?? OPTIONS.seedKey.default };
  }
  const alone = seed !== undefined ? '--seed' : seedKey !== undefined ? '--seed-key' : undefined;
  if (alone !== undefined) throw new UsageError(`${alone} needs --episodes`, { fix: 'add --episodes N' });
  return tasks === undefined ? undefined : { file: tasks };
}

/** The value itself if it is JSON, else a JSON string. */
function jsonText(value: string): string {
  return jsonProblem(value) === undefined ? value : JSON.stringify(value);
}

/** Without the keys that are undefined. */
function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
