import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { UserError } from '../../errors.js';
import { realPath } from '../../files.js';
import { TRAINING } from '../../options/trainer.js';
import { shellQuote } from '../../printed-command.js';
import type { Targets } from '../../written/index.js';
import { assertEnoughRows, type Environment, type EnvironmentOptions, readEnvironments } from '../environments.js';
import { toolParserOf } from '../model-family.js';
import { sequenceLength } from '../sequence-length.js';
import { assertUsableRoot } from '../usable-root.js';
import { hydraList, hydraValue } from './hydra.js';
import { renderServers } from './render.js';

/** Paths in a checkout of verl with its recipes (verl-recipe 48ea0a7). */
const DATASET = 'recipe/nemo_gym/dataset.py';
const AGENT_LOOP = 'recipe/nemo_gym/agent_loop.py';

export interface VerlOptions {
  model?: string | undefined;
  toolParser?: string | undefined;
  promptsPerStep?: number | undefined;
  generations?: number | undefined;
  /** In tokens. */
  maxTotalSequenceLength?: number | undefined;
  /** In tokens. */
  maxNewTokens?: number | undefined;
}

export interface VerlRequest {
  targets: Targets;
  /** Path of the checkout of verl. */
  checkout: string;
  /** Absolute path of the file to write. */
  file: string;
  rows: Pick<EnvironmentOptions, 'train' | 'validation' | 'noValidation'>;
  options: VerlOptions;
}

/** What verl needs to train on written servers. */
export interface VerlConfig {
  text: string;
  environments: Environment[];
  /** Overrides for `python3 -m verl.trainer.main_ppo`, quoted for a shell. */
  overrides: string[];
  /** Shell commands that come before it. */
  commands: string[];
}

/**
 * Makes the file that verl's recipe reads, and the overrides that select it.
 * @throws UserError if the recipe could not read the rows, or would train on none
 */
export async function verlConfig(
  { targets, checkout, file, rows, options }: VerlRequest,
  { signal, progress }: Pick<EnvironmentOptions, 'signal' | 'progress'>,
): Promise<VerlConfig> {
  await assertRecipe(checkout);
  await assertUsableRoot(targets.gymRoot);
  const model = options.model ?? TRAINING.model;
  const toolParser = toolParserOf(model, options.toolParser);
  const promptsPerStep = options.promptsPerStep ?? TRAINING.promptsPerStep;
  const environments = await readEnvironments(targets, { ...rows, problemOf, signal, progress });
  assertEnoughRows(environments, promptsPerStep);
  const { tokens } = sequenceLength(environments, {
    chosen: options.maxTotalSequenceLength,
    base: undefined,
    maxNewTokens: options.maxNewTokens ?? TRAINING.maxNewTokens,
    turns: Math.max(...environments.map(({ maxSteps, turns }) => maxSteps ?? turns)),
  });
  const root = await realPath(targets.gymRoot);
  const pathOf = (path: string) => join(root, relative(targets.gymRoot, path));
  const vllm = '+actor_rollout_ref.rollout.engine_kwargs.vllm';
  const agent = '+actor_rollout_ref.rollout.agent';
  const overrides = [
    `data.train_files=${hydraList(environments.map(({ train }) => pathOf(train.path)))}`,
    ...validationOverrides(environments, pathOf),
    `+data.custom_cls.path=${DATASET}`,
    '+data.custom_cls.name=NeMoGymJSONLDataset',
    `data.train_batch_size=${promptsPerStep}`,
    `actor_rollout_ref.model.path=${hydraValue(model)}`,
    `actor_rollout_ref.rollout.n=${options.generations ?? TRAINING.generations}`,
    `${vllm}.enable-auto-tool-choice=true`,
    `${vllm}.tool-call-parser=${hydraValue(toolParser)}`,
    `${vllm}.max-model-len=${tokens}`,
    `${agent}.agent_loop_manager_class=recipe.nemo_gym.agent_loop.NeMoGymAgentLoopManager`,
    `${agent}.agent_loop_config_path=${hydraValue(await realPath(file))}`,
  ];
  return {
    text: renderServers(environments),
    environments,
    overrides: overrides.map(shellQuote),
    commands: [
      `cd ${shellQuote(await realPath(checkout))}`,
      `export NEMO_GYM_EXTRA_ROOTS=${shellQuote(root)}`,
      'export NEMO_GYM_ROOT=/path/to/Gym',
    ],
  };
}

async function assertRecipe(checkout: string): Promise<void> {
  for (const file of [DATASET, AGENT_LOOP]) {
    const found = await stat(join(checkout, file)).catch(() => undefined);
    if (found?.isFile()) continue;
    throw new UserError(`not a checkout of verl with its recipes: no ${file}`, {
      where: checkout,
      fix: 'git clone --recurse-submodules https://github.com/verl-project/verl, and name that folder',
    });
  }
}

/** The data set reads each message's role and content (recipe/nemo_gym/dataset.py:54). */
function problemOf({ responses_create_params: params }: Record<string, unknown>): string | undefined {
  const input = (params as { input?: unknown } | null)?.input;
  return Array.isArray(input) ? undefined : 'input is not a list of messages';
}

/** verl needs a file for validation, also if it never validates. */
function validationOverrides(environments: readonly Environment[], pathOf: (path: string) => string): string[] {
  const files = environments.flatMap(({ validation }) => (validation ? [pathOf(validation.path)] : []));
  if (files.length > 0) return [`data.val_files=${hydraList(files)}`];
  const train = environments.map(({ train }) => pathOf(train.path));
  return [`data.val_files=${hydraList(train)}`, 'trainer.val_before_train=False', 'trainer.test_freq=-1'];
}
