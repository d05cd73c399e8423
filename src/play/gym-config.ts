import { join } from 'node:path';
import { namesOf, yamlString, yamlValue } from '../gym/index.js';
import type { Model } from './find-model.js';

/** NeMo Gym's own servers that a written config needs, besides the model server. */
const OWN_SERVERS = [
  'responses_api_agents/simple_agent',
  'environment_servers/legacy_agent',
  'environment_servers/single_agent_turn',
];

/** Configs by the type of the model server. */
const MODEL_CONFIGS = {
  vllm_model: 'responses_api_models/vllm_model/configs/vllm_model.yaml',
  openai_model: 'responses_api_models/openai_model/configs/openai_model.yaml',
} as const;

/** A written server to play. */
export interface PlayedServer {
  name: string;
  /** Real path of its folder. */
  folder: string;
  /** Replaces the URL in its config, with headers whose values are in environment variables. */
  override?: { url: string; headerVariables: Readonly<Record<string, string>> };
}

export interface GymSettings {
  servers: readonly PlayedServer[];
  model: Model;
  /** `HOST:PORT` */
  ray: string;
  headPort: number;
  /** Absolute path of the folder with the links to venvs. */
  venvs: string;
}

/**
 * The `env.yaml` for `gym env start`, which overrides all configs. In this file, paths and URLs need no quotes for
 * Hydra, and secrets stay in the environment.
 */
export function serveConfig({ servers, model, ray, headPort, venvs }: GymSettings): string {
  const configs = servers.map(({ name, folder }) => join(folder, namesOf(name).config));
  return yamlMap({
    config_paths: yamlValue(JSON.stringify([MODEL_CONFIGS[model.type], ...configs])),
    policy_base_url: yamlString(model.url),
    policy_model_name: yamlString(model.model),
    policy_api_key: model.keyEnv === undefined ? yamlString('none') : variable(model.keyEnv),
    skip_venv_if_present: 'true',
    uv_venv_dir: yamlString(venvs),
    ray_head_node_address: yamlString(ray),
    head_server: headServer(headPort),
    ...Object.fromEntries(
      servers.flatMap(({ name, override }) => (override ? [[name, overriding(name, override)]] : [])),
    ),
  });
}

function overriding(name: string, { url, headerVariables }: NonNullable<PlayedServer['override']>): string {
  const headers = Object.entries(headerVariables).map(([header, value]) => `${yamlString(header)}: ${variable(value)}`);
  const settings = `{url: ${yamlString(url)}, headers: {${headers.join(', ')}}}`;
  return `{resources_servers: {${yamlString(name)}: ${settings}}}`;
}

export interface RolloutSettings {
  headPort: number;
  /** Absolute paths. */
  rows: string;
  rollouts: string;
  repeats: number;
  concurrency: number;
}

/** The `env.yaml` for `gym eval run --no-serve`. */
export function rolloutConfig({ headPort, rows, rollouts, repeats, concurrency }: RolloutSettings): string {
  return yamlMap({
    head_server: headServer(headPort),
    input_jsonl_fpath: yamlString(rows),
    output_jsonl_fpath: yamlString(rollouts),
    num_repeats: String(repeats),
    num_samples_in_parallel: String(concurrency),
    route_failures_to_sidecar: 'true', // or one failed rollout ends the whole run
  });
}

const headServer = (port: number) => `{host: 127.0.0.1, port: ${port}}`;

/** OmegaConf reads the variable in the process that needs the value. */
const variable = (name: string) => `"\${oc.env:${name}}"`;

function yamlMap(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([key, value]) => `${yamlString(key)}: ${value}\n`)
    .join('');
}

/** The servers that `gym env start` starts, as `<type>/<name>`. */
export function startedServers(servers: readonly PlayedServer[], model: Model): string[] {
  return [...OWN_SERVERS, `responses_api_models/${model.type}`, ...servers.map(({ name }) => namesOf(name).folder)];
}
