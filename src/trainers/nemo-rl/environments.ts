import { join } from 'node:path';
import { UserError } from '../../errors.js';
import { namesOf } from '../../gym/index.js';
import { VALIDATION_SPLITS } from '../../settings.js';
import { currentSettings, readServerFolder, type WrittenFolder } from '../../written/index.js';
import { type RowFacts, rowFacts } from '../row-facts.js';
import { declaredSplit, noSplit } from '../splits.js';

/** A written server that NeMo RL trains on. */
export interface Environment {
  name: string;
  /** Instance of its agent, which each row names. */
  agent: string;
  /** Path of its config, relative to the Gym root. */
  config: string;
  train: RowFacts;
  validation?: RowFacts;
  /** Number of the task's turns, as probed; at least 1. */
  turns: number;
  /** Settings of its config. */
  maxSteps?: number;
  maxConcurrentEnvs?: number;
}

export interface EnvironmentOptions {
  train?: string | undefined;
  validation?: string | undefined;
  /** Whether the run has no validation. */
  noValidation: boolean;
  /** Longest sequence, in tokens, if it is chosen. */
  limit?: number | undefined;
  signal: AbortSignal;
  progress: (text: string) => void;
}

/**
 * Reads what NeMo RL has to know of a written server.
 * @throws UserError if the folder has no rows for training, or lines that end the run
 */
export async function readEnvironment(
  gymRoot: string,
  { name, folder, lock }: WrittenFolder,
  options: EnvironmentOptions,
): Promise<Environment> {
  const names = namesOf(name);
  const { rowFiles, toolsets } = await readServerFolder(folder);
  const { datasets } = lock.options ?? {};
  const [train, validation] = [declaredSplit(datasets, 'train'), declaredSplit(datasets, 'validation')];
  const has = (split: string) => rowFiles.some((file) => file.split === split);
  const facts = async (split: string) => {
    options.progress(`reading ${name} ${split}`);
    const file = rowFiles.find((each) => each.split === split);
    if (!file) throw noSplit(folder, split, rowFiles);
    return usable(await rowFacts(file, { agent: names.agent, limit: options.limit, signal: options.signal }));
  };
  const forValidation = options.validation ?? [validation, ...VALIDATION_SPLITS].find((each) => each && has(each));
  const isValidated = !options.noValidation && forValidation !== undefined && has(forValidation);
  const { max_steps: maxSteps, max_concurrent_envs: maxConcurrentEnvs } = await currentSettings(gymRoot, name);
  return {
    name,
    agent: names.agent,
    config: join(names.folder, names.config),
    train: await facts(options.train ?? train ?? 'train'),
    ...(isValidated ? { validation: await facts(forValidation) } : {}),
    turns: Math.max(1, ...toolsets.map((toolset) => toolset.turns.length)),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(maxConcurrentEnvs === undefined ? {} : { maxConcurrentEnvs }),
  };
}

/** NeMo RL parses each line as JSON and reads the agent's name in it (nemo_rl/data/processors.py:792, environments/nemo_gym.py:676). */
function usable(facts: RowFacts): RowFacts {
  const { count, first } = facts.bad;
  if (count === 0) return facts;
  const more = count > first.length ? [`and ${count - first.length} more`] : [];
  throw new UserError('NeMo RL would stop at these lines', {
    where: facts.path,
    details: [...first.map(({ line, problem }) => `line ${line}: ${problem}`), ...more],
    fix: 'correct or remove these lines',
  });
}
