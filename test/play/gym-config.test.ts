import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { rolloutConfig, serveConfig, startedServers } from '../../src/play/gym-config.js';
import { MARKER } from '../support/marker.js';

const MODEL = { url: 'http://h/v1', model: 'm', type: 'vllm_model' } as const;
const SETTINGS = { model: MODEL, ray: '127.0.0.1:1', headPort: 2, venvs: '/v' };
const SHOP = { name: 'shop', folder: '/root/resources_servers/shop' };

test('the config for the servers has paths and ports', () => {
  expect(parse(serveConfig({ ...SETTINGS, servers: [SHOP] }))).toEqual({
    config_paths: [
      'responses_api_models/vllm_model/configs/vllm_model.yaml',
      '/root/resources_servers/shop/configs/shop.yaml',
    ],
    policy_base_url: 'http://h/v1',
    policy_model_name: 'm',
    policy_api_key: 'none',
    skip_venv_if_present: true,
    uv_venv_dir: '/v',
    ray_head_node_address: '127.0.0.1:1',
    head_server: { host: '127.0.0.1', port: 2 },
  });
});

test('the key and headers are read from the environment', () => {
  const override = { url: 'http://h:1', headerVariables: { 'X-Token': 'HEADER_0' } };
  const model = { ...MODEL, keyEnv: 'MY_KEY' };
  const config = parse(serveConfig({ ...SETTINGS, model, servers: [{ ...SHOP, override }] }));
  expect(config.policy_api_key).toBe(`\${oc.env:MY_KEY}`);
  const settings = { url: 'http://h:1', headers: { 'X-Token': `\${oc.env:HEADER_0}` } };
  expect(config.shop).toEqual({ resources_servers: { shop: settings } });
});

test('foreign text stays text', () => {
  const text = `\${oc.env:HOME} ${MARKER}`;
  const config = parse(serveConfig({ ...SETTINGS, model: { ...MODEL, model: text }, servers: [SHOP] }));
  expect(config.policy_model_name).toBe(text.replace('${', '\\${')); // as OmegaConf reads it
});

test('the config for the rollouts has files and numbers', () => {
  const files = { rows: '/run/a,b=c.jsonl', rollouts: '/out/rollouts.jsonl' };
  expect(parse(rolloutConfig({ headPort: 2, ...files, repeats: 4, concurrency: 16 }))).toEqual({
    head_server: { host: '127.0.0.1', port: 2 },
    input_jsonl_fpath: files.rows,
    output_jsonl_fpath: files.rollouts,
    num_repeats: 4,
    num_samples_in_parallel: 16,
    route_failures_to_sidecar: true,
  });
});

test('the started servers are those of Gym, of the model and of the root', () => {
  expect(startedServers([SHOP], MODEL)).toEqual([
    'responses_api_agents/simple_agent',
    'environment_servers/legacy_agent',
    'environment_servers/single_agent_turn',
    'responses_api_models/vllm_model',
    'resources_servers/shop',
  ]);
});
