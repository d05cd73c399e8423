import { TRAINING } from '../../options/trainer.js';
import { assertEnoughRows, type Environment } from '../environments.js';
import { toolParserOf } from '../model-family.js';
import { sequenceLength } from '../sequence-length.js';
import { hydraList, hydraValue } from './hydra.js';

/** Path in a checkout of verl with its recipes (verl-recipe 48ea0a7). */
export const DATASET = 'recipe/nemo_gym/dataset.py';

/** Values that the user chose. */
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

export interface VerlModel {
  model: string;
  /** Name of vLLM's tool parser. */
  toolParser: string;
}

interface Paths {
  /** Real path of the file that the recipe reads. */
  file: string;
  /** The real path of a file of rows. */
  rows(path: string): string;
}

/** @throws UserError if the tool parser of the model is unknown */
export function verlModel({ model = TRAINING.model, toolParser }: VerlOptions): VerlModel {
  return { model, toolParser: toolParserOf(model, toolParser) };
}

/**
 * Chooses the overrides for `python3 -m verl.trainer.main_ppo`.
 * @throws UserError if there are too few rows
 */
export function verlOverrides(
  environments: readonly Environment[],
  { model, toolParser }: VerlModel,
  options: VerlOptions,
  paths: Paths,
): string[] {
  const promptsPerStep = options.promptsPerStep ?? TRAINING.promptsPerStep;
  assertEnoughRows(environments, promptsPerStep);
  const { tokens } = sequenceLength(environments, {
    chosen: options.maxTotalSequenceLength,
    base: undefined,
    maxNewTokens: options.maxNewTokens ?? TRAINING.maxNewTokens,
    turns: Math.max(...environments.map(({ maxSteps, turns }) => maxSteps ?? turns)),
  });
  const vllm = '+actor_rollout_ref.rollout.engine_kwargs.vllm';
  const agent = '+actor_rollout_ref.rollout.agent';
  return [
    `data.train_files=${hydraList(environments.map(({ train }) => paths.rows(train.path)))}`,
    ...validationOverrides(environments, paths),
    `+data.custom_cls.path=${DATASET}`,
    '+data.custom_cls.name=NeMoGymJSONLDataset',
    `data.train_batch_size=${promptsPerStep}`,
    `actor_rollout_ref.model.path=${hydraValue(model)}`,
    `actor_rollout_ref.rollout.n=${options.generations ?? TRAINING.generations}`,
    `${vllm}.enable-auto-tool-choice=true`,
    `${vllm}.tool-call-parser=${hydraValue(toolParser)}`,
    `${vllm}.max-model-len=${tokens}`,
    `${agent}.agent_loop_manager_class=recipe.nemo_gym.agent_loop.NeMoGymAgentLoopManager`,
    `${agent}.agent_loop_config_path=${hydraValue(paths.file)}`,
  ];
}

/** verl needs a file for validation, also if it never validates. */
function validationOverrides(environments: readonly Environment[], { rows }: Paths): string[] {
  const files = environments.flatMap(({ validation }) => (validation ? [rows(validation.path)] : []));
  if (files.length > 0) return [`data.val_files=${hydraList(files)}`];
  const train = environments.map(({ train }) => rows(train.path));
  return [`data.val_files=${hydraList(train)}`, 'trainer.val_before_train=False', 'trainer.test_freq=-1'];
}
