import { join } from 'node:path';
import { UserError } from '../errors.js';
import { namesOf, VALIDATION_SPLITS } from '../gym/index.js';
import type { OnProgress } from '../reporter.js';
import { currentSettings, readServerFolder, type Targets, type WrittenFolder } from '../written/index.js';
import { type RowFacts, type RowFactsOptions, rowFacts } from './row-facts.js';
import { declaredSplit, noSplit } from './splits.js';

/** A written server to train on. */
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
  /** Why the trainer cannot use a row. */
  problemOf?: RowFactsOptions['problemOf'];
  signal: AbortSignal;
  progress: OnProgress;
}

/**
 * Reads the facts about a written server that a trainer needs.
 * @throws UserError if the folder has no rows for training, or lines that the trainer cannot use
 */
async function readEnvironment(
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
    options.progress({ phase: 'step', what: `reading ${name} ${split}` });
    const file = rowFiles.find((each) => each.split === split);
    if (!file) throw noSplit(folder, split, rowFiles);
    const { limit, problemOf, signal } = options;
    return usable(await rowFacts(file, { agent: names.agent, limit, ...(problemOf ? { problemOf } : {}), signal }));
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

/** A trainer parses each line as JSON and reads the agent's name in it, and any failure ends the run. */
function usable(facts: RowFacts): RowFacts {
  const { count, first } = facts.bad;
  if (count === 0) return facts;
  const more = count > first.length ? [`and ${count - first.length} more`] : [];
  throw new UserError('invalid lines would end the training run', {
    where: facts.path,
    details: [...first.map(({ line, problem }) => `line ${line}: ${problem}`), ...more],
    fix: 'correct or remove these lines',
  });
}

/** The servers of a run. @throws UserError if none of them has rows for validation, unless the run has none */
export async function readEnvironments(
  { gymRoot, folders }: Targets,
  options: EnvironmentOptions,
): Promise<Environment[]> {
  const environments: Environment[] = [];
  for (const folder of folders) environments.push(await readEnvironment(gymRoot, folder, options));
  if (options.noValidation || environments.some(({ validation }) => validation !== undefined)) return environments;
  const split = options.validation === undefined ? '' : ` ${JSON.stringify(options.validation)}`;
  throw new UserError(`no split${split} to validate on`, {
    where: folders.map(({ folder }) => folder).join(', '),
    fix: 'add --validation SPLIT, or --no-validation to train without',
  });
}

/**
 * An incomplete last batch is skipped, so too few rows give no training step.
 * @throws UserError if there are too few
 */
export function assertEnoughRows(environments: readonly Environment[], rowsPerStep: number): void {
  const rows = environments.reduce((sum, { train }) => sum + train.rows, 0);
  if (rows >= rowsPerStep) return;
  throw new UserError(`${rows} rows are fewer than ${rowsPerStep} prompts per step`, {
    where: environments.map(({ train }) => train.path).join(', '),
    fix: rows > 0 ? `lower --prompts-per-step to ${rows} or less, or train on more rows` : 'train on more rows',
  });
}
