import { delimiter } from 'node:path';
import { shellQuote } from '../../printed-command.js';
import type { AxolotlNames } from './names.js';
import { type AxolotlPlan, LORA_RANKS } from './plan.js';

/** A step of the start, in a terminal of its own. */
export interface Step {
  /** What it starts. */
  title: string;
  /** Shell commands in their order. */
  commands: string[];
}

export interface StepOptions {
  gymRoot: string;
  /** Absolute path of the output folder. */
  folder: string;
  form: 'plugin' | 'rollout-loop';
  /** Whether the rows are fixed, and the agent of the output folder plays them. */
  fix: boolean;
  /** Port of the agent, if it is fixed. */
  port?: number | undefined;
}

/** The steps to run, one after the other: vLLM, NeMo Gym, and the training. */
export function startSteps(names: AxolotlNames, plan: AxolotlPlan, options: StepOptions): Step[] {
  const train = { title: 'Axolotl', commands: [`cd ${shellQuote(options.folder)}`, `axolotl train ${names.config}`] };
  const steps = [
    { title: 'vLLM', commands: [vllmCommand(plan)] },
    { title: 'NeMo Gym', commands: gymCommands(names, plan, options) },
  ];
  return options.form === 'plugin' ? [...steps, train] : steps;
}

/**
 * `axolotl vllm-serve` does not pass a tool parser on (axolotl/cli/vllm_serve.py), and without one the model calls no tool. The
 * other flags are those that it passes for LoRA.
 */
function vllmCommand({ model, sequenceLength, lora, toolParser, vllmPort }: AxolotlPlan): string {
  const rank = LORA_RANKS.find((each) => each >= lora);
  return [
    'VLLM_ALLOW_RUNTIME_LORA_UPDATING=True vllm serve',
    shellQuote(model),
    `--host 127.0.0.1 --port ${vllmPort} --max-model-len ${sequenceLength}`,
    `--enable-lora --max-lora-rank ${rank} --max-loras 2`,
    `--enable-auto-tool-choice --tool-call-parser ${shellQuote(toolParser)}`,
    '--logprobs-mode processed_logprobs',
  ].join(' ');
}

/** Paths of configs are looked up in NEMO_GYM_EXTRA_ROOTS, because `--config` cannot name every path. */
function gymCommands(names: AxolotlNames, { headPort, maxSteps }: AxolotlPlan, options: StepOptions): string[] {
  const { gymRoot, folder, fix, port } = options;
  const agent = fix ? names.fixed : names.written;
  const at = `++${agent.name}.responses_api_agents.${agent.implementation}`;
  const configs = [names.policyModel, names.serverConfig, ...(fix ? [names.agentConfig] : [])];
  const overrides = [
    `++head_server.port=${headPort}`,
    ...(fix ? [] : [`${at}.max_steps=${maxSteps}`]),
    ...(port === undefined ? [] : [`${at}.host=127.0.0.1`, `${at}.port=${port}`]),
  ];
  return [
    `export NEMO_GYM_EXTRA_ROOTS=${shellQuote([folder, gymRoot].join(delimiter))}`,
    ['gym env start', ...configs.map((config) => `--config ${shellQuote(config)}`), ...overrides].join(' '),
  ];
}
