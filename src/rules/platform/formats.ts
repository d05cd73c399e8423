/** The parts of a NeMo Platform package: names, formats and limits (nemo-helix 0.8.1, nemo-sandboxed-gym 0.1.0). */

/** `EnvironmentFormat` (nhx/rl/schemas/environment.py). */
export const FORMATS = ['native-v1', 'wheels-v1', 'adapter-wheels-v1'] as const;
export type PackageFormat = (typeof FORMATS)[number];

export function isFormat(value: unknown): value is PackageFormat {
  return (FORMATS as readonly unknown[]).includes(value);
}

/** Formats whose dependencies come from `wheels/` (`offline_wheel_install_required`, nhx/rl/tasks/environment/validate.py). */
export function hasWheels(format: PackageFormat): boolean {
  return format !== 'native-v1';
}

/** What a package is for. */
export const TARGETS = ['grpo', 'evals'] as const;
export type PackageTarget = (typeof TARGETS)[number];

/** Name of the manifest, at the root of the package. */
export const MANIFEST = 'nemo-environment.yaml';
/** Folder of the wheels. */
export const WHEELS = 'wheels';

export const RESOURCES_SERVERS = 'resources_servers';
export const AGENTS = 'responses_api_agents';
export const MODELS = 'responses_api_models';
export const ENVIRONMENT_SERVERS = 'environment_servers';
/** Types of a server in a Gym config (`ServerTypeConfig`, nemo_gym/config_types.py). */
export const SERVER_TYPES = [RESOURCES_SERVERS, AGENTS, MODELS, ENVIRONMENT_SERVERS] as const;
export type ServerType = (typeof SERVER_TYPES)[number];

/** Where the configs of a format may be; anywhere if the format is not listed (`_under_gym_component_directories`). */
export const CONFIG_FOLDERS: Partial<Record<PackageFormat, readonly string[]>> = {
  'native-v1': [`${AGENTS}/`, `${RESOURCES_SERVERS}/`, `${MODELS}/`],
  'adapter-wheels-v1': ['configs/'],
};

/** Keys of the manifest. */
export const MANIFEST_KEYS = ['format', 'config_paths', 'metadata', 'adapter'] as const;
/** Largest length of each text in `metadata` (`EnvironmentMetadata`, sandboxed_gym/environment_package.py). */
export const METADATA_LENGTHS: Readonly<Record<string, number>> = {
  name: 255,
  description: 2048,
  hub_id: 512,
  vf_env_id: 512,
  adapter_agent: 255,
};
/** Agents of the training image that an adapter package can select (`IMAGE_ADAPTER_ALLOWLIST`). */
export const ADAPTER_AGENTS: readonly string[] = ['verifiers_agent'];

/** The instance that sends requests to the trained model. A package defines it, and lists its config first. */
export const POLICY_MODEL = 'policy_model';
/** Keys that NeMo RL adds to the config at the start (`build_sandbox_global_config`). */
export const JOB_KEYS: readonly string[] = ['policy_base_url', 'policy_api_key', 'policy_model_name'];

/** Names of the files in a dataset. */
export const TRAINING = 'training.jsonl';
export const VALIDATION = 'validation.jsonl';

/** The largest config of all servers together, in bytes: Gym passes it in one environment variable (Linux: MAX_ARG_STRLEN). */
export const CONFIG_BYTES = 128 * 1024;
