import { UserError } from '../../errors.js';
import { isRecord } from '../../json/guards.js';
import { TRAINING } from '../../options/trainer.js';
import { assertEnoughRows, type Environment } from '../environments.js';
import { modelFamily, toolParserOf } from '../model-family.js';
import { type SequenceLength, sequenceLength } from '../sequence-length.js';
import { type ConfigValues, mergeConfigs, numberAt, ownNumberAt, textAt, valueAt } from './config-values.js';
import { danglingReferences, missingKeys } from './required-keys.js';

/** Values that the user chose. Lengths are in tokens. */
export interface ConfigOptions {
  model?: string | undefined;
  toolParser?: string | undefined;
  promptsPerStep?: number | undefined;
  generations?: number | undefined;
  trainingSteps?: number | undefined;
  /** Model calls in a rollout. */
  maxSteps?: number | undefined;
  maxTotalSequenceLength?: number | undefined;
  maxNewTokens?: number | undefined;
  /** Rank of LoRA. */
  lora?: number | undefined;
  /** GPUs of one node. */
  gpus?: number | undefined;
}

/** The config that the new one inherits from. */
export interface Base {
  /** Path, for messages. */
  path: string;
  values: ConfigValues;
  /** Whether it is the checkout's own, whose values suit another task. */
  isDefault: boolean;
  /** Name of DTensor's settings in this version of NeMo RL. */
  dtensor: 'dtensor_cfg' | 'automodel_cfg';
}

/** The values to write. A value that is missing stays as in the base. */
export interface Plan {
  promptsPerStep: number;
  generations: number;
  /** Rollouts of a step. */
  rollouts: number;
  trainingSteps?: number;
  model: string;
  toolParser: string;
  hasReasoningParser: boolean;
  chatTemplate?: Readonly<Record<string, unknown>>;
  length: SequenceLength;
  /** Tokens of one reply; missing if the base sets them to the whole length. */
  maxNewTokens?: number;
  /** Number of rollouts that the model is updated with at once, if the base's does not divide the rollouts. */
  batch?: number;
  lora?: { key: Base['dtensor']; dim: number; alpha: number; useTriton: boolean; refit: boolean };
  gpus?: number;
  isValidated: boolean;
  /** Model calls in a rollout, by the agent's name. */
  maxSteps: { agent: string; steps: number }[];
  /** Rows that one step needs. */
  rowsPerStep: number;
}

/** The defaults of `GRPOConfig` (nemo_rl/algorithms/grpo.py:242), for a base that leaves these keys out. */
const NEMO_RL_DEFAULTS = { promptsPerStep: 32, generations: 16 };

/**
 * Chooses the values of a config.
 * @throws UserError if the base lacks keys that NeMo RL reads, or if there are too few rows
 */
export function planConfig(base: Base, environments: readonly Environment[], options: ConfigOptions): Plan {
  const { values, isDefault } = base;
  const chosen = { ...(isDefault ? TRAINING : {}), ...defined(options) };
  assertComplete(mergeConfigs(values, overlay(base, chosen)), base);
  const number = (value: number | undefined, path: string, fallback: number) =>
    value ?? numberAt(values, path) ?? fallback;
  const promptsPerStep = number(chosen.promptsPerStep, 'grpo.num_prompts_per_step', NEMO_RL_DEFAULTS.promptsPerStep);
  const generations = number(chosen.generations, 'grpo.num_generations_per_prompt', NEMO_RL_DEFAULTS.generations);
  const rollouts = promptsPerStep * generations;
  const model = chosen.model ?? textAt(values, 'policy.model_name') ?? '';
  const maxSteps = environments.flatMap(({ agent, ...environment }) => {
    const steps = options.maxSteps ?? maxStepsIn(values, agent) ?? environment.maxSteps;
    return steps === undefined ? [] : [{ agent, steps }];
  });
  const maxNewTokens = chosen.maxNewTokens ?? ownNumberAt(values, 'policy.generation.max_new_tokens');
  const length = sequenceLength(environments, {
    chosen: options.maxTotalSequenceLength,
    base: isDefault ? undefined : numberAt(values, 'policy.max_total_sequence_length'),
    maxNewTokens: maxNewTokens ?? TRAINING.maxNewTokens,
    turns: Math.max(...environments.map((each) => maxStepsOf(maxSteps, each.agent) ?? each.turns)),
  });
  const batch = batchSize(mergeConfigs(values, overlay(base, { ...chosen, promptsPerStep, generations })), rollouts);
  const plan: Plan = {
    promptsPerStep,
    generations,
    rollouts,
    ...(chosen.trainingSteps === undefined ? {} : { trainingSteps: chosen.trainingSteps }),
    model,
    ...serving(base, model, options.toolParser),
    length,
    ...(maxNewTokens === undefined ? {} : { maxNewTokens }),
    ...(batch === undefined ? {} : { batch }),
    ...(options.lora === undefined ? {} : { lora: loraOf(base, options.lora) }),
    ...(options.gpus === undefined ? {} : { gpus: options.gpus }),
    isValidated: environments.some(({ validation }) => validation !== undefined),
    maxSteps,
    rowsPerStep: Math.floor(promptsPerStep * batchMultiplier(values)),
  };
  // `drop_last=True`, nemo_rl/algorithms/grpo.py:598
  assertEnoughRows(environments, plan.rowsPerStep);
  return plan;
}

function defined(options: ConfigOptions): ConfigOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** The chosen values that decide which keys NeMo RL reads, or that other values of the base refer to. */
function overlay({ dtensor }: Base, chosen: ConfigOptions): ConfigValues {
  const { promptsPerStep, generations, model, maxTotalSequenceLength, maxNewTokens, lora, gpus } = chosen;
  const withLora = {
    megatron_cfg: { enabled: false },
    [dtensor]: { enabled: true, lora_cfg: { enabled: true } },
    optimizer: { name: '', kwargs: {} },
  };
  return withoutUndefined({
    grpo: { num_prompts_per_step: promptsPerStep, num_generations_per_prompt: generations },
    policy: {
      model_name: model === undefined ? undefined : '', // its text is not a reference
      max_total_sequence_length: maxTotalSequenceLength,
      generation: { max_new_tokens: maxNewTokens },
      ...(lora === undefined ? {} : withLora),
    },
    cluster: { gpus_per_node: gpus },
  });
}

/** The same without keys whose value is undefined. */
function withoutUndefined(values: ConfigValues): ConfigValues {
  const entries = Object.entries(values).map(([key, value]) => [
    key,
    isRecord(value) ? withoutUndefined(value) : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/**
 * All rollouts of a step, unless the base's batch divides them: NeMo RL silently drops rollouts that do not fill a
 * batch (nemo_rl/models/policy/workers/dtensor_policy_worker_v2.py:424).
 */
function batchSize(config: ConfigValues, rollouts: number): number | undefined {
  const batch = numberAt(config, 'policy.train_global_batch_size');
  return batch !== undefined && rollouts % batch === 0 ? undefined : rollouts;
}

/** Keys that an error names. */
const NAMED = 10;

function assertComplete(config: ConfigValues, { path }: Base): void {
  const missing = missingKeys(config);
  if (missing.length > 0) {
    throw new UserError('the base lacks keys that NeMo RL requires', {
      where: path,
      details: firstOf(missing),
      fix: 'add them, or inherit them: defaults: <checkout>/examples/configs/grpo_math_1B.yaml',
    });
  }
  const dangling = danglingReferences(config);
  if (dangling.length > 0) {
    throw new UserError('the base refers to missing keys, data or env', {
      where: path,
      details: firstOf(dangling),
      fix: 'write the values themselves in the base',
    });
  }
  const backend = textAt(config, 'policy.generation.backend');
  if (backend === 'vllm') return;
  throw new UserError(`the base generates with ${JSON.stringify(backend)}, but gymgen supports only vllm`, {
    where: path,
    fix: 'set policy.generation.backend: vllm in the base',
  });
}

function firstOf(lines: readonly string[]): string[] {
  return [...lines.slice(0, NAMED), ...(lines.length > NAMED ? [`and ${lines.length - NAMED} more`] : [])];
}

function serving(base: Base, model: string, chosen: string | undefined) {
  const { values } = base;
  const chat = 'policy.generation.vllm_cfg.http_server_serving_chat_kwargs';
  const ofBase = valueAt(values, 'policy.tokenizer.chat_template_kwargs');
  const chatTemplate = isRecord(ofBase) ? ofBase : modelFamily(model)?.chatTemplate;
  return {
    toolParser: toolParserOf(model, chosen ?? textAt(values, `${chat}.tool_parser`)),
    hasReasoningParser: textAt(values, `${chat}.reasoning_parser`) !== undefined,
    ...(chatTemplate ? { chatTemplate } : {}),
  };
}

/** The settings of the run on https://www.agentenvframework.com/docs/training/nemo-rl: alpha is twice the rank. */
function loraOf({ values, dtensor }: Base, dim: number): NonNullable<Plan['lora']> {
  const parallel = numberAt(values, `policy.${dtensor}.tensor_parallel_size`) ?? 1;
  return { key: dtensor, dim, alpha: 2 * dim, useTriton: parallel === 1, refit: dtensor === 'automodel_cfg' };
}

function batchMultiplier(values: ConfigValues): number {
  const isDynamic = valueAt(values, 'grpo.use_dynamic_sampling') === true;
  return isDynamic ? (numberAt(values, 'grpo.batch_multiplier') ?? 1) : 1;
}

function maxStepsIn(values: ConfigValues, agent: string): number | undefined {
  return numberAt(values, `env.nemo_gym.${agent}.responses_api_agents.simple_agent.max_steps`);
}

function maxStepsOf(maxSteps: Plan['maxSteps'], agent: string): number | undefined {
  return maxSteps.find((each) => each.agent === agent)?.steps;
}
