// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are ordinary texts, which OmegaConf interpolates

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempFolder } from '../support/built-cli.js';
import { gymgenHere, type Ran } from '../support/cli-here.js';
import { days } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

/** A base with the keys that NeMo RL reads without a default. */
export const BASE = `\
checkpointing: {enabled: true, checkpoint_dir: results, metric_name: "val:accuracy", higher_is_better: true, save_period: 10}
cluster: {gpus_per_node: 1, num_nodes: 1}
grpo: {num_prompts_per_step: 32, num_generations_per_prompt: 16}
logger:
  {log_dir: logs, num_val_samples_to_print: 0, monitor_gpus: true, wandb: {}, wandb_enabled: false, tensorboard_enabled: false,
   mlflow_enabled: false, swanlab_enabled: false, gpu_monitoring: {collection_interval: 10, flush_interval: 10}}
loss_fn: {}
policy:
  model_name: Qwen/Qwen2.5-1.5B
  tokenizer: {name: "\${policy.model_name}", chat_template_kwargs: null}
  train_global_batch_size: 512
  train_micro_batch_size: 4
  max_total_sequence_length: 512
  precision: bfloat16
  make_sequence_length_divisible_by: 1
  dtensor_cfg:
    {enabled: true, cpu_offload: false, sequence_parallel: false, activation_checkpointing: false, tensor_parallel_size: 1,
     context_parallel_size: 1}
  dynamic_batching: {enabled: false}
  generation:
    backend: vllm
    max_new_tokens: \${policy.max_total_sequence_length}
    temperature: 1.0
    top_p: 1.0
    val_temperature: \${.temperature}
    val_top_p: \${.top_p}
    colocated: {enabled: true, resources: {gpus_per_node: null, num_nodes: null}}
    vllm_cfg: {}
data: {train: {dataset_name: OpenMathInstruct-2}}
env: {math: {}}
`;

export const CHECKOUT_BASE = 'rl/examples/configs/grpo_math_1B.yaml';

export interface Place {
  cwd: string;
  /** Writes a file; the path is relative to `cwd`. */
  put(file: string, text: string): void;
  run(...args: string[]): Promise<Ran>;
  /** `gymgen trainer nemo-rl root …` */
  trainer(...args: string[]): Promise<Ran>;
}

/** A folder with a Gym root `root`, with servers of these names, and what is needed of a checkout of NeMo RL, `rl`. */
export async function place(names: readonly string[] = ['grid_v1'], ...flags: string[]): Promise<Place> {
  const server = await StandIn.start({ splits: { train: days(5), eval: days(2) } });
  const cwd = tempFolder();
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), text);
  };
  put(CHECKOUT_BASE, BASE);
  put('rl/examples/nemo_gym/run_grpo_nemo_gym.py', '');
  const run = (...args: string[]) => gymgenHere(args, { cwd });
  for (const name of names) {
    const { exitCode, stderr } = await run(server.url, 'root', '--name', name, ...flags);
    if (exitCode !== 0) throw new Error(stderr);
  }
  return { cwd, put, run, trainer: (...args) => run('trainer', 'nemo-rl', 'root', '--nemo-rl', 'rl', ...args) };
}
