import { UserError } from '../../errors.js';
import { OPTIONS, type OptionValues } from '../../options/index.js';
import { AXOLOTL, TRAINING } from '../../options/trainer.js';
import type { Settings } from '../../settings.js';
import { modelFamily, toolParserOf } from '../model-family.js';
import type { RowFacts } from '../row-facts.js';

/** Values that the user chose. Lengths are in tokens; `maxSteps` are the model calls of a rollout. */
export type AxolotlOptions = Pick<
  OptionValues,
  | 'model'
  | 'toolParser'
  | 'generations'
  | 'trainingSteps'
  | 'maxSteps'
  | 'maxTotalSequenceLength'
  | 'maxNewTokens'
  | 'lora'
  | 'headPort'
>;

/** The values to write. */
export interface AxolotlPlan {
  model: string;
  toolParser: string;
  noThinking: boolean;
  /** Rows of a step on one GPU. */
  rowsPerStep: number;
  generations: number;
  trainingSteps: number;
  maxSteps: number;
  maxNewTokens: number;
  sequenceLength: number;
  lora: number;
  headPort: number;
  vllmPort: number;
  /** In seconds. */
  resetTimeout: number;
  toolTimeout: number;
  replySeconds: number;
  runTimeout: number;
}

const DEFAULTS = { ...TRAINING, ...AXOLOTL, headPort: OPTIONS.headPort.default };
/** The default of `vllm serve`. */
const VLLM_PORT = 8000;
/** Time for one reply of the model, in seconds. */
const REPLY_SECONDS = 60;
/** Lengths are multiples of this number of tokens. */
const LENGTH_STEP = 1024;
/** The largest rank of an adapter that vLLM loads (`SUPPORTED_MAX_LORA_RANKS`, axolotl/cli/vllm_serve.py). */
export const LORA_RANKS = [1, 8, 16, 32, 64, 128, 256, 320, 512] as const;

/**
 * Chooses the values of a config.
 * @param kept number of rows that the loader keeps
 * @param settings of the resources server's config
 * @throws UserError if a value is missing or does not fit
 */
export function axolotlPlan(train: RowFacts, kept: number, settings: Settings, options: AxolotlOptions): AxolotlPlan {
  if (kept === 0)
    throw new UserError('no rows to train on', { where: train.path, fix: 'choose another split with --train' });
  const model = options.model ?? DEFAULTS.model;
  const maxSteps = options.maxSteps ?? settings.max_steps ?? DEFAULTS.maxSteps;
  const maxNewTokens = options.maxNewTokens ?? DEFAULTS.maxNewTokens;
  const resetTimeout = Math.ceil(settings.reset_timeout ?? OPTIONS.resetTimeout.default);
  const toolTimeout = Math.ceil(settings.tool_timeout ?? OPTIONS.toolTimeout.default);
  const plan = {
    model,
    toolParser: toolParserOf(model, options.toolParser),
    noThinking: modelFamily(model)?.chatTemplate?.enable_thinking === false,
    // TRL leaves out a step that is not full (`RepeatSampler`, trl/trainer/utils.py of 1.14.1).
    rowsPerStep: Math.min(TRAINING.promptsPerStep, kept),
    generations: options.generations ?? DEFAULTS.generations,
    trainingSteps: options.trainingSteps ?? DEFAULTS.trainingSteps,
    maxSteps,
    maxNewTokens,
    sequenceLength: options.maxTotalSequenceLength ?? lengthFor(train, maxNewTokens * maxSteps),
    lora: options.lora ?? DEFAULTS.lora,
    headPort: options.headPort ?? DEFAULTS.headPort,
    vllmPort: VLLM_PORT,
    resetTimeout,
    toolTimeout,
    replySeconds: REPLY_SECONDS,
    // The agent answers only when a rollout has ended, so this bounds the whole rollout.
    runTimeout: resetTimeout + (toolTimeout + REPLY_SECONDS) * maxSteps,
  };
  assertFits(plan);
  return plan;
}

/** A length that fits the longest row and all replies. */
function lengthFor({ longest }: RowFacts, replies: number): number {
  return Math.ceil(((longest[0]?.tokens ?? 0) + replies) / LENGTH_STEP) * LENGTH_STEP;
}

function assertFits({ sequenceLength, maxNewTokens, maxSteps, lora }: AxolotlPlan): void {
  if (!Number.isSafeInteger(sequenceLength)) {
    throw new UserError(`${maxSteps} replies of ${maxNewTokens} tokens are too long`, {
      fix: 'lower --max-new-tokens or --max-steps',
    });
  }
  if (sequenceLength <= maxNewTokens) {
    throw new UserError('--max-total-sequence-length is not above --max-new-tokens', {
      details: ['vLLM would reject every request'],
      fix: `raise --max-total-sequence-length above ${maxNewTokens}, or lower --max-new-tokens`,
    });
  }
  const most = LORA_RANKS.at(-1) as number;
  if (lora > most) {
    throw new UserError(`--lora ${lora} is above vLLM's largest rank, ${most}`, {
      fix: `use --lora ${most} or less`,
    });
  }
}
