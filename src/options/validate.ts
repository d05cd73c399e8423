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
    live: {
      flags: '--live',
      help: 'Ask the OpenEnv server of each config whether it still has the splits and tasks of the rows',
      commands: VALIDATE,
    },
  }),
} as const;
