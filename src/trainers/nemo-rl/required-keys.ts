import { isRecord } from '../../json/guards.js';
import { type ConfigValues, hasKey, textsOf, valueAt } from './config-values.js';

/**
 * Keys that NeMo RL reads without a default, found by leaving out each key of its own configs (NVIDIA-NeMo/RL 7ea279a;
 * `MasterConfig`, nemo_rl/algorithms/grpo.py:437, `PolicyConfig`, nemo_rl/models/policy/__init__.py, `setup`, grpo.py:504).
 */
const REQUIRED = `
checkpointing: enabled checkpoint_dir metric_name higher_is_better save_period
cluster: gpus_per_node num_nodes
grpo:
logger: log_dir num_val_samples_to_print monitor_gpus wandb
logger: wandb_enabled tensorboard_enabled mlflow_enabled swanlab_enabled
logger.gpu_monitoring: collection_interval flush_interval
loss_fn:
policy: model_name train_global_batch_size train_micro_batch_size max_total_sequence_length precision
policy: make_sequence_length_divisible_by
policy.dtensor_cfg: enabled
policy.dynamic_batching: enabled
policy.generation: backend max_new_tokens temperature top_p val_temperature val_top_p
policy.generation.colocated: enabled
policy.generation.colocated.resources: gpus_per_node num_nodes
policy.generation.vllm_cfg:
policy.tokenizer: name
`;

/** Keys of a map that may be left out as a whole. */
const REQUIRED_IF_PRESENT = `
data_plane: enabled impl backend storage_capacity num_storage_units claim_meta_poll_interval_s
data_plane: global_segment_size local_buffer_size
policy.draft: enabled
policy.dtensor_cfg.lora_cfg: enabled
policy.megatron_cfg: enabled
policy.optimizer: name kwargs
policy.sequence_packing: enabled
`;

/** Keys of a map that are read only if the map has `enabled: true`. */
const REQUIRED_IF_ENABLED = `
policy.dtensor_cfg: cpu_offload sequence_parallel activation_checkpointing tensor_parallel_size context_parallel_size
policy.dynamic_batching: train_mb_tokens sequence_length_round
policy.megatron_cfg: empty_unused_memory_level activation_checkpointing tensor_model_parallel_size
policy.megatron_cfg: expert_tensor_parallel_size expert_model_parallel_size pipeline_model_parallel_size
policy.megatron_cfg: num_layers_in_first_pipeline_stage num_layers_in_last_pipeline_stage context_parallel_size
policy.megatron_cfg: pipeline_dtype sequence_parallel freeze_moe_router apply_rope_fusion bias_activation_fusion
policy.megatron_cfg: moe_per_layer_logging moe_enable_deepep moe_token_dispatcher_type moe_shared_expert_overlap
policy.megatron_cfg: optimizer scheduler distributed_data_parallel_config
policy.sequence_packing: train_mb_tokens algorithm
`;

/** Paths of the keys that a config lacks although NeMo RL reads them, such as `policy.precision`. */
export function missingKeys(config: ConfigValues): string[] {
  const needed = [
    ...pathsOf(REQUIRED, () => true),
    ...pathsOf(REQUIRED_IF_PRESENT, (map) => isRecord(valueAt(config, map))),
    ...pathsOf(REQUIRED_IF_ENABLED, (map) => valueAt(config, `${map}.enabled`) === true),
  ];
  return needed.filter((path) => !hasKey(config, path));
}

/** The paths in a table, of the maps for which `isRead` is true. */
function pathsOf(table: string, isRead: (map: string) => boolean): string[] {
  return table.split('\n').flatMap((line) => {
    const [map = '', names = ''] = line.split(':');
    if (map === '' || !isRead(map)) return [];
    const keys = names.split(' ').filter((name) => name !== '');
    return keys.length === 0 ? [map] : keys.map((key) => `${map}.${key}`);
  });
}

/** Keys of `data` that the written config has, too. It replaces the others, and all of `env`. */
const KEPT = ['max_input_seq_length', 'shuffle', 'num_workers', 'use_multiple_dataloader'];

/**
 * Values that refer to a missing key, such as `logger.wandb.name: ${data.train.dataset_name}`, each with that key. A
 * key is also missing if the written config replaces its map. OmegaConf rejects such values.
 */
export function danglingReferences({ data: _, env: __, ...others }: ConfigValues): string[] {
  const config = { ...others, data: Object.fromEntries(KEPT.map((key) => [key, null])) };
  return textsOf(others).flatMap(({ path, text }) => {
    const references = [...text.matchAll(/\$\{([a-z_][\w.]*)\}/gi)].map(([, reference]) => reference as string);
    return references.filter((key) => !hasKey(config, key)).map((reference) => `${path}: \${${reference}}`);
  });
}
