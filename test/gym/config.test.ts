import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { config, description, SETTING_LINES } from '../../src/gym/config.js';
import { yamlString } from '../../src/gym/yaml.js';
import { options } from './discovery.js';
import { HOSTILE } from './hostile.js';

it('has the three instances, without options that are not set', async () => {
  expect(config({ envName: 'gridsim-v1' }, options())).toBe(`gridsim_v1:
  resources_servers:
    gridsim_v1:
      entrypoint: app.py
      domain: agent
      description: "gridsim-v1's tasks, served by OpenEnv"
      url: "http://127.0.0.1:8000"
      environment: "gridsim-v1"
gridsim_v1_simple_agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server:
        type: resources_servers
        name: gridsim_v1
      model_server:
        type: responses_api_models
        name: policy_model
gridsim_v1_environment_server:
  environment_servers:
    legacy_agent:
      entrypoint: app.py
      agent_server:
        type: responses_api_agents
        name: gridsim_v1_simple_agent
`);
});

const FULL = options({
  headers: { Authorization: 'Bearer $HF_TOKEN', reward: 'x' },
  renameTools: { 'a.b': 'a_b' },
  settings: {
    max_steps: 4,
    reward: 'on',
    max_concurrent_envs: 8,
    idle_timeout: 3,
    reset_timeout: 2.5,
    tool_timeout: 1,
  },
  datasets: { validation: 'eval', train: 'train', license: 'Apache 2.0', examples: true },
});

it('has the optional keys after the url in a fixed order', async () => {
  const text = config({ envName: 'gridsim-v1' }, FULL);
  const read = parse(text);
  const server = read.gridsim_v1.resources_servers.gridsim_v1;
  expect(Object.keys(server).slice(3)).toEqual([
    'url',
    'environment',
    'headers',
    'tool_names',
    'tool_timeout',
    'reset_timeout',
    'idle_timeout',
    'max_concurrent_envs',
    'reward',
  ]);
  expect(server.tool_names).toEqual({ a_b: 'a.b' });
  expect(server.reward).toBe('on');
  const agent = read.gridsim_v1_simple_agent.responses_api_agents.simple_agent;
  expect(Object.keys(agent).slice(3)).toEqual(['max_steps', 'datasets']);
  const path = (split: string) => `resources_servers/gridsim_v1/data/${split}.jsonl`;
  expect(agent.datasets).toEqual([
    { name: 'train', type: 'train', jsonl_fpath: path('train'), license: 'Apache 2.0' },
    { name: 'validation', type: 'validation', jsonl_fpath: path('eval'), license: 'Apache 2.0' },
    { name: 'example', type: 'example', jsonl_fpath: path('example') },
  ]);
});

it('matches the lines that are settings', async () => {
  const lines = config({ envName: 'gridsim-v1' }, FULL)
    .split('\n')
    .filter((line) => SETTING_LINES.test(line));
  expect(lines.map((line) => line.trim())).toEqual([
    'tool_timeout: 1',
    'reset_timeout: 2.5',
    'idle_timeout: 3',
    'max_concurrent_envs: 8',
    'reward: "on"',
    'max_steps: 4',
  ]);
});

it.each(HOSTILE)('quotes %j so that YAML reads it unchanged', (text) => {
  const scalar = yamlString(text);
  expect(scalar).toMatch(/^"[\t -~\u00a0-\uffff]*"$/);
  expect(scalar).not.toMatch(/[\n\u0085\u2028\u2029\ufeff]/);
  expect(parse(scalar).replace(/(\\*)\\\$\{/g, (_: string, more: string) => `${more.slice(more.length / 2)}\${`)).toBe(
    text,
  );
});

it.each([
  ['a [b] c', 'a (b) c'],
  ['[/x]', '(/x)'],
  ['a\u202e::b ##[c]', 'a\\u202e::b ##\\u005bc)'],
  ['two\nlines\t\u0000\u0085 \u2028x', 'two lines x'],
  ['x'.repeat(300), 'x'.repeat(200)],
  [`${'x'.repeat(199)}😀y`, `${'x'.repeat(199)}😀`],
])('describes %j on one line, without markup', (envName, shown) => {
  expect(description(envName)).toBe(`${shown}'s tasks, served by OpenEnv`);
});
