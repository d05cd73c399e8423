// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are ordinary texts
import { expect, it } from 'vitest';
import { config, description } from '../../src/gym/config.js';
import { yamlString } from '../../src/gym/yaml.js';
import { options } from './discovery.js';
import { askGym } from './gym-python.js';
import { HOSTILE } from './hostile.js';

/** Reads YAML as Gym does: Gym loads it, and passes it to the server's process as YAML again. */
const READ = `
from omegaconf import OmegaConf
def read(text):
    once = OmegaConf.create(text)
    return OmegaConf.to_container(OmegaConf.create(OmegaConf.to_yaml(once)), resolve=True)
json.dump([read(text) for text in given], sys.stdout)
`;

/** All texts of this length. */
function* combinations(chars: string, length: number): Generator<string> {
  if (length === 0) yield '';
  else for (const rest of combinations(chars, length - 1)) for (const char of chars) yield rest + char;
}

it('reads every text unchanged', async () => {
  const short = [1, 2, 3].flatMap((length) => [...combinations('\\${}a', length)]);
  const long = [4, 5].flatMap((length) => [...combinations('\\${}a', length)]).filter((text) => text.includes('${'));
  const texts = [...HOSTILE, ...short, ...long];
  const yaml = texts.map((text) => `x: ${yamlString(text)}\n${yamlString(text.replaceAll('\n', ''))}: 1\n`);
  const read = await askGym<Record<string, unknown>[]>(
    READ,
    yaml.map((text) => text.split('\n')[0]),
  );
  expect(read.map(({ x }) => x)).toEqual(texts);
}, 120_000);

it('reads the whole config, and no environment variables', async () => {
  const envName = HOSTILE.join(' ').slice(0, 190);
  const url = 'http://h/?a=${oc.env:HOME}&b=1e3';
  const given = options({
    server: { url },
    headers: { Authorization: 'Bearer ${HF_TOKEN} $HF_TOKEN', on: '12:30', '1e3': '0x1F' },
    renameTools: { 'a.${oc.env:HOME}': 'a_b', on: 'off_', '"\n}}': 'c-d' },
    settings: { tool_timeout: 0.5, reward: '${oc.env:HOME}', max_steps: 3 },
    datasets: { train: 'train', license: 'NVIDIA Internal Use Only, Do Not Distribute', examples: true },
  });
  const [read] = await askGym<Record<string, Record<string, Record<string, Record<string, unknown>>>>[]>(READ, [
    config({ envName }, given),
  ]);
  expect(read?.gridsim_v1?.resources_servers?.gridsim_v1).toEqual({
    entrypoint: 'app.py',
    domain: 'agent',
    description: description(envName),
    url,
    environment: envName,
    headers: given.headers,
    tool_names: { a_b: 'a.${oc.env:HOME}', off_: 'on', 'c-d': '"\n}}' },
    tool_timeout: 0.5,
    reward: '${oc.env:HOME}',
  });
  expect(read?.gridsim_v1_simple_agent?.responses_api_agents?.simple_agent?.max_steps).toBe(3);
});

it('reads the fixed fields of an action as the same JSON', async () => {
  const fixed = {
    n: '9007199254740993',
    x: '1.0',
    e: '1e3',
    on: '"on"',
    text: JSON.stringify('${oc.env:HOME} "\n}} 12:30'),
    all: '{"a":[null,true,"0x1F",{"${b}":-2.5}],"c":{}}',
  };
  const text = config({ envName: 'x', action: { fixed }, rewardRule: 'sum' }, options());
  const [read] = await askGym<Record<string, Record<string, Record<string, Record<string, unknown>>>>[]>(READ, [text]);
  const { interface: kind, fixed_fields, reward_rule } = read?.gridsim_v1?.resources_servers?.gridsim_v1 ?? {};
  expect({ kind, reward_rule }).toEqual({ kind: 'action', reward_rule: 'sum' });
  const wanted = Object.fromEntries(Object.entries(fixed).map(([name, json]) => [name, JSON.parse(json)]));
  expect(fixed_fields).toEqual({ ...wanted, all: { a: [null, true, '0x1F', { '${b}': -2.5 }], c: {} } });
});

it("is accepted by Gym's parser, and its datasets by Gym's model", async () => {
  const program = `
from omegaconf import OmegaConf
from nemo_gym.global_config import GlobalConfigDictParser, GlobalConfigDictParserConfig
initial = OmegaConf.merge(OmegaConf.create(given), GlobalConfigDictParserConfig.NO_MODEL_GLOBAL_CONFIG_DICT)
parsed = GlobalConfigDictParser().parse_no_environment(initial)
found = GlobalConfigDictParser().filter_for_server_instance_configs(parsed)
json.dump({c.name: [d.type for d in c.datasets or []] for c in found}, sys.stdout)
`;
  const datasets = { train: 'train', validation: 'eval', license: 'Apache 2.0', examples: true };
  const found = await askGym(program, config({ envName: 'x' }, options({ datasets })));
  expect(found).toEqual({
    gridsim_v1: [],
    gridsim_v1_simple_agent: ['train', 'validation', 'example'],
    gridsim_v1_environment_server: [],
    policy_model: [],
  });
}, 120_000);
