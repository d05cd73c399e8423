import { rows } from './option.js';

const BOTH = ['package', 'validate'] as const;
const TARGETS = ['grpo', 'evals'] as const;
const PLATFORMS = ['linux/amd64', 'linux/arm64'] as const;

/** Options about the NeMo Platform that a package is for. */
export const PLATFORM_OPTIONS = {
  'NeMo Platform': rows({
    target: {
      flags: '--target <grpo|evals>',
      help: 'What the package is for: training or evaluations',
      default: 'grpo',
      commands: BOTH,
      value: (v) => v.oneOf(TARGETS),
      choices: TARGETS,
    },
    platform: {
      flags: '--platform <linux/amd64|linux/arm64>',
      help: "Architecture of the cluster's nodes",
      default: 'linux/amd64',
      commands: BOTH,
      value: (v) => v.oneOf(PLATFORMS),
      choices: PLATFORMS,
    },
    pin: {
      flags: '--pin <name==version,...>',
      help: 'Versions of nemo-gym, ray and openai in the training image; with package, also versions of other projects',
      unset: 'nemo-gym==0.7.0, ray==2.60.0, openai==2.44.0',
      commands: BOTH,
      value: (v) => v.texts,
      repeatable: true,
    },
  }),
} as const;
