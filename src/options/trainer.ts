import { rows } from './option.js';

/** Values for Axolotl only. */
export const AXOLOTL = { maxSteps: 8, lora: 32 } as const;

/** What `gymgen trainer axolotl` writes. */
export const AXOLOTL_FORMS = ['plugin', 'rollout-loop'] as const;

/** Values for Axolotl, and for NeMo RL's own base, which is for another task. Lengths are in tokens. */
export const TRAINING = {
  model: 'Qwen/Qwen3-4B',
  promptsPerStep: 4,
  generations: 8,
  trainingSteps: 40,
  maxNewTokens: 1024,
} as const;

/** For the commands that have no base. */
const own = (value: string | number) => ({
  'trainer axolotl': { unset: `${value}` },
  'trainer verl': { unset: `${value}` },
});
const orAsInBase = (value: string | number) => `${value}, or as in \`--base\``;

/** Options that decide what is in the config of a trainer. */
export const TRAINER_OPTIONS = {
  'Config of a trainer': rows({
    nemoRl: {
      flags: '--nemo-rl <checkout>',
      help: 'Checkout of NeMo RL (required)',
      commands: ['trainer nemo-rl'],
      value: (v) => v.text,
    },
    verl: {
      flags: '--verl <checkout>',
      help: 'Checkout of verl with its recipes (required)',
      commands: ['trainer verl'],
      value: (v) => v.text,
    },
    outputServers: {
      flags: '-o, --output <file>',
      help: 'File to write',
      unset: 'verl_<name>.yaml',
      commands: ['trainer verl'],
      value: (v) => v.text,
    },
    outputConfig: {
      flags: '-o, --output <file>',
      help: 'Config to write',
      unset: 'grpo_<name>.yaml',
      commands: ['trainer nemo-rl'],
      value: (v) => v.text,
    },
    base: {
      flags: '--base <file>',
      help: 'Config to inherit from; an option or the rows may override its values',
      unset: "the checkout's examples/configs/grpo_math_1B.yaml",
      commands: ['trainer nemo-rl'],
      value: (v) => v.text,
    },
    runFrom: {
      flags: '--run-from <dir>',
      help: 'Folder in which NeMo RL will run; paths of rows are relative to it',
      unset: 'the checkout',
      commands: ['trainer nemo-rl'],
      value: (v) => v.text,
    },
    train: {
      flags: '--train <split>',
      help: 'Split to train on',
      unset: 'as in `--datasets`, or train',
      commands: ['trainer nemo-rl', 'trainer axolotl', 'trainer verl'],
      value: (v) => v.text,
    },
    validation: {
      flags: '--validation <split>',
      help: 'Split to validate on',
      unset: 'as in `--datasets`, or the first of validation, val, dev, eval, test',
      commands: ['trainer nemo-rl', 'trainer verl'],
      value: (v) => v.text,
    },
    noValidation: {
      flags: '--no-validation',
      help: 'Train without validation',
      commands: ['trainer nemo-rl', 'trainer verl'],
    },
    model: {
      flags: '--model <model>',
      help: 'Model to train: a name on Hugging Face or a folder',
      unset: orAsInBase(TRAINING.model),
      commands: ['trainer nemo-rl', 'trainer axolotl', 'trainer verl'],
      in: own(TRAINING.model),
      value: (v) => v.text,
    },
    toolParser: {
      flags: '--tool-parser <name>',
      help: "Name of vLLM's tool parser",
      unset: 'hermes for Qwen3 and Qwen2.5; required for other models',
      commands: ['trainer nemo-rl', 'trainer axolotl', 'trainer verl'],
      value: (v) => v.text,
    },
    promptsPerStep: {
      flags: '--prompts-per-step <n>',
      help: 'Number of rows in a training step',
      unset: orAsInBase(TRAINING.promptsPerStep),
      commands: ['trainer nemo-rl', 'trainer verl'],
      value: (v) => v.whole(1),
      in: own(TRAINING.promptsPerStep),
    },
    generations: {
      flags: '--generations <n>',
      help: 'Number of rollouts per row',
      unset: orAsInBase(TRAINING.generations),
      commands: ['trainer nemo-rl', 'trainer axolotl', 'trainer verl'],
      in: own(TRAINING.generations),
      value: (v) => v.whole(2),
    },
    trainingSteps: {
      flags: '--training-steps <n>',
      help: 'Number of training steps',
      unset: orAsInBase(TRAINING.trainingSteps),
      commands: ['trainer nemo-rl', 'trainer axolotl'],
      in: { 'trainer axolotl': { unset: `${TRAINING.trainingSteps}` } },
      value: (v) => v.whole(1),
    },
    maxNewTokens: {
      flags: '--max-new-tokens <tokens>',
      help: 'Longest reply of the model',
      unset: orAsInBase(TRAINING.maxNewTokens),
      commands: ['trainer nemo-rl', 'trainer axolotl', 'trainer verl'],
      in: own(TRAINING.maxNewTokens),
      value: (v) => v.whole(1),
    },
    lora: {
      flags: '--lora <rank>',
      help: 'Train a LoRA of this rank with DTensor',
      unset: 'train all weights',
      commands: ['trainer nemo-rl', 'trainer axolotl'],
      in: { 'trainer axolotl': { help: 'Rank of the LoRA', unset: `${AXOLOTL.lora}` } },
      value: (v) => v.whole(1),
    },
    gpus: {
      flags: '--gpus <n>',
      help: 'Number of GPUs per node',
      unset: 'as in `--base`',
      commands: ['trainer nemo-rl'],
      value: (v) => v.whole(1),
    },
    outputFolder: {
      flags: '-o, --output <dir>',
      help: 'Folder to write',
      unset: 'axolotl_<name>',
      commands: ['trainer axolotl'],
      value: (v) => v.text,
    },
    fix: {
      flags: '--fix',
      help: "Write rows that Axolotl's loader does not change, and the agent that plays them",
      commands: ['trainer axolotl'],
    },
    form: {
      flags: '--form <plugin|rollout-loop>',
      help: 'What to write: the config of the plugin, or the arguments of the rollout loop of later versions',
      unset: 'plugin',
      commands: ['trainer axolotl'],
      value: (v) => v.oneOf(AXOLOTL_FORMS),
      choices: AXOLOTL_FORMS,
    },
    agentPort: {
      flags: '--port <port>',
      help: 'Port of the agent, for `--form rollout-loop`',
      unset: 'read from the running NeMo Gym',
      commands: ['trainer axolotl'],
      value: (v) => v.port,
    },
    headPort: {
      flags: '--head-port <port>',
      help: "Port of NeMo Gym's head server",
      default: 11_000,
      commands: ['trainer axolotl'],
      value: (v) => v.port,
    },
  }),
} as const;
