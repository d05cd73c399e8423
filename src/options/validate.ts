import { rows } from './option.js';

const VALIDATE = ['validate'] as const;

/** Options of `gymgen validate`, by the heading of their group. */
export const VALIDATE_OPTIONS = {
  Validation: rows({
    package: {
      flags: '--package <folder>',
      help: 'Package that the rows are for: its agents, tools and vf_env_id',
      unset: 'the package among the targets',
      commands: VALIDATE,
      value: (v) => v.filled('a folder'),
    },
    target: {
      flags: '--target <grpo|evals>',
      help: 'What the package is for: training or evaluations',
      default: 'grpo',
      commands: VALIDATE,
      value: (v) => v.oneOf(['grpo', 'evals']),
      choices: ['grpo', 'evals'],
    },
    platform: {
      flags: '--platform <linux/amd64|linux/arm64>',
      help: "Processors of the cluster's nodes",
      default: 'linux/amd64',
      commands: VALIDATE,
      value: (v) => v.oneOf(['linux/amd64', 'linux/arm64']),
      choices: ['linux/amd64', 'linux/arm64'],
    },
    pin: {
      flags: '--pin <name==version,...>',
      help: 'Versions in the training image of nemo-gym, ray and openai',
      unset: 'nemo-gym==0.7.0, ray==2.60.0, openai==2.44.0',
      commands: VALIDATE,
      value: (v) => v.texts,
      repeatable: true,
    },
    live: {
      flags: '--live',
      help: 'Ask the OpenEnv server of each config whether it still has the splits and tasks of the rows',
      commands: VALIDATE,
    },
  }),
} as const;
