import { rows } from './option.js';

/** NeMo Gym's model servers: vLLM's Chat Completions, or OpenAI's Responses. */
export const MODEL_TYPES = ['vllm_model', 'openai_model'] as const;
export type ModelType = (typeof MODEL_TYPES)[number];

/** Options of `gymgen play`. */
export const PLAY_OPTIONS = {
  Rollouts: rows({
    playSplit: {
      flags: '--split <name>',
      help: 'Split to play',
      unset: 'validation, val, dev, eval or test, otherwise the first',
      commands: ['play'],
      value: (v) => v.text,
    },
    playLimit: {
      flags: '--limit <rows>',
      help: 'Maximum number of rows per server',
      unset: 'all',
      commands: ['play'],
      value: (v) => v.whole(1),
    },
    repeats: {
      flags: '--repeats <n>',
      help: 'Number of rollouts per row',
      default: 1,
      commands: ['play'],
      value: (v) => v.whole(1),
    },
    playConcurrency: {
      flags: '--concurrency <n>',
      help: 'Number of rollouts at once',
      default: 16,
      commands: ['play'],
      value: (v) => v.whole(1),
    },
    playOutput: {
      flags: '-o, --output <dir>',
      help: 'New or empty folder for the results',
      unset: 'play-<name>, then play-<name>-2, and so on',
      commands: ['play'],
      value: (v) => v.filled('a folder'),
    },
    demo: {
      flags: '--demo',
      help: 'Serve the built-in example during the run',
      commands: ['play'],
    },
    gymPython: {
      flags: '--python <path>',
      help: 'Python that has NeMo Gym 0.7 or newer',
      unset: 'installed with uv',
      commands: ['play'],
      value: (v) => v.filled('a path'),
      path: 'program',
    },
  }),
  Model: rows({
    modelUrl: {
      flags: '--model-url <url>',
      help: 'Base URL of the model server, such as http://127.0.0.1:8000/v1',
      commands: ['play'],
      value: (v) => v.filled('a URL'),
    },
    playModel: {
      flags: '--model <name>',
      help: 'Name of the model',
      unset: 'the only model of the server',
      commands: ['play'],
      value: (v) => v.filled('a name'),
    },
    modelType: {
      flags: '--model-type <vllm_model|openai_model>',
      help: "NeMo Gym's model server",
      unset: 'detected from the model server',
      commands: ['play'],
      value: (v) => v.oneOf(MODEL_TYPES),
      choices: MODEL_TYPES,
    },
    modelApiKeyEnv: {
      flags: '--model-api-key-env <name>',
      help: 'Environment variable with the key of the model server',
      commands: ['play'],
      value: (v) => v.filled('a name'),
    },
    policy: {
      flags: '--policy <file|idle>',
      help: 'Play scripts instead of a model; idle ends each rollout at once',
      commands: ['play'],
      value: (v) => v.filled('a file'),
      conflicts: 'modelUrl',
      path: 'file',
    },
  }),
} as const;
