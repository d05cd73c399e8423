// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are ordinary texts, which OmegaConf interpolates

import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { TrainerNemoRlDocument } from '../../src/documents/schemas/trainer.js';
import { BASE, CHECKOUT_BASE, type Place, place } from './support.js';

const FILE = 'grpo_grid_v1.yaml';
const TRAIN = 'root/resources_servers/grid_v1/data/train.jsonl';

const text = ({ cwd }: Place, file = FILE) => readFileSync(join(cwd, file), 'utf8');
const config = (at: Place, file = FILE) => parse(text(at, file));

function expectGolden(name: string, found: string): void {
  const file = fileURLToPath(new URL(`golden/${name}.yaml`, import.meta.url));
  if (process.env.GYMGEN_UPDATE_GOLDEN === '1') writeFileSync(file, found);
  expect(found).toBe(readFileSync(file, 'utf8'));
}

test('writes a config, and prints how to start the run', async () => {
  const at = await place();
  const { stdout, stderr, exitCode } = await at.trainer();
  expect({ stdout, exitCode }).toEqual({ stdout: `wrote ${FILE}\n`, exitCode: 0 });
  expect(stderr.split('\n')).toEqual([
    'grid_v1: 5 rows of train, validation on 2 rows of eval',
    '32 rollouts per step (4 × 8), sequences of up to 2,048 tokens',
    '',
    'Next:',
    `  cd ${at.cwd}/rl`,
    `  export NEMO_GYM_EXTRA_ROOTS=${at.cwd}/root`,
    `  uv run python examples/nemo_gym/run_grpo_nemo_gym.py --config ../${FILE}`,
    '',
  ]);
  expectGolden('plain', text(at));
});

test('several servers, LoRA, another folder and no validation', async () => {
  const at = await place(['grid_v1', 'shop'], '--max-steps', '6');
  const { exitCode, stderr } = await at.trainer(
    ...'grid_v1 shop --no-validation --lora 16 --gpus 2 --model Qwen/Qwen2.5-7B-Instruct'.split(' '),
    ...'--max-new-tokens 256 --prompts-per-step 8 --run-from . -o runs/a.yaml'.split(' '),
  );
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain(`uv run --project ${at.cwd}/rl python rl/examples/`);
  expectGolden('everything', text(at, 'runs/a.yaml'));
});

test('--json prints the same, and --dry-run the config; nothing is written', async () => {
  const at = await place();
  const planned = TrainerNemoRlDocument.parse(JSON.parse((await at.trainer('--dry-run', '--json')).stdout));
  expect(existsSync(join(at.cwd, FILE))).toBe(false);
  const dry = await at.trainer('--dry-run');
  expect(dry.stdout).toBe(planned.config);
  const wrote = TrainerNemoRlDocument.parse(JSON.parse((await at.trainer('--json')).stdout));
  expect(wrote).toMatchObject({ status: 'wrote', file: FILE, promptsPerStep: 4, toolParser: 'hermes', warnings: [] });
  expect(text(at)).toBe(planned.config);
});

test('an own file is replaced; an edited or foreign one only with --force', async () => {
  const at = await place();
  await at.trainer();
  expect((await at.trainer()).stdout).toBe(`${FILE} is up to date\n`);
  expect((await at.trainer('--gpus', '2')).stdout).toBe(`wrote ${FILE}\n`);
  for (const [edit, problem] of [
    [text(at).replace('max_num_steps: 40', 'max_num_steps: 41'), 'file was edited by hand'],
    ['mine: true\n', 'file exists and was not written by gymgen'],
  ] as const) {
    at.put(FILE, edit);
    const refused = await at.trainer();
    expect({ exitCode: refused.exitCode, text: text(at) }).toEqual({ exitCode: 2, text: edit });
    expect(refused.stderr).toContain(problem);
  }
  expect((await at.trainer('--force')).exitCode).toBe(0);
  expect(config(at).grpo.max_num_steps).toBe(40);
});

test("a user's base keeps its values, which are not repeated", async () => {
  const at = await place();
  at.put('my/base.yaml', `defaults: ../${CHECKOUT_BASE}\npolicy: {max_total_sequence_length: 4096}\n`);
  at.put('my/top.yaml', 'defaults: [base.yaml]\ngrpo: {num_prompts_per_step: 2, num_generations_per_prompt: 4}\n');
  const { exitCode, stderr } = await at.trainer('--base', 'my/top.yaml', '-o', 'runs/a.yaml');
  expect(exitCode, stderr).toBe(0);
  const { defaults, grpo, policy, logger, checkpointing } = config(at, 'runs/a.yaml');
  expect(defaults).toBe('../my/top.yaml');
  expect(grpo).toMatchObject({ num_prompts_per_step: 2, num_generations_per_prompt: 4, max_val_samples: null });
  expect(policy).toMatchObject({ model_name: 'Qwen/Qwen2.5-1.5B', train_global_batch_size: 8 });
  expect(policy).not.toHaveProperty('max_total_sequence_length');
  expect([logger, checkpointing]).toEqual([undefined, undefined]);
});

test('settings of the base for the agent and the chat template are kept', async () => {
  const at = await place();
  const agent = '{grid_v1_simple_agent: {responses_api_agents: {simple_agent: {max_steps: 3}}}}';
  const server = '{http_server_serving_chat_kwargs: {tool_parser: mine, reasoning_parser: qwen3}}';
  at.put(
    'my.yaml',
    `defaults: ${CHECKOUT_BASE}
env: {nemo_gym: ${agent}}
policy: {tokenizer: {chat_template_kwargs: {enable_thinking: true}}, generation: {vllm_cfg: ${server}}}
`,
  );
  expect(await at.trainer('--base', 'my.yaml', '--prompts-per-step', '4')).toMatchObject({ exitCode: 0 });
  const { policy, env } = config(at);
  expect(policy.generation.vllm_cfg.http_server_serving_chat_kwargs.tool_parser).toBe('mine');
  expect(env.nemo_gym).toMatchObject({
    grid_v1_simple_agent: { responses_api_agents: { simple_agent: { max_steps: 3 } } },
    policy_model: {
      responses_api_models: {
        vllm_model: {
          uses_reasoning_parser: true,
          extra_body: { chat_template_kwargs: { enable_thinking: true } },
        },
      },
    },
  });
});

test('a base behind a symlink is found as NeMo RL finds it', async () => {
  const at = await place();
  at.put('a/b/base.yaml', `defaults: ../../${CHECKOUT_BASE}\n`);
  symlinkSync('a/b', join(at.cwd, 'link'));
  mkdirSync(join(at.cwd, 'runs'));
  expect(await at.trainer('--base', 'link/base.yaml', '-o', 'runs/a.yaml', '--prompts-per-step', '4')).toMatchObject({
    exitCode: 0,
  });
  expect(config(at, 'runs/a.yaml').defaults).toBe('../a/b/base.yaml');
});

test('foreign text stays text: paths with interpolations, and models that look like YAML', async () => {
  const at = await place();
  at.put('${oc.env:HOME}/base.yaml', `defaults: ../${CHECKOUT_BASE}\n`);
  const args = ['--base', '${oc.env:HOME}/base.yaml', '--model', 'a: [b]\n# ${x}', '--tool-parser', 'true'];
  expect(await at.trainer(...args, '--prompts-per-step', '2')).toMatchObject({ exitCode: 0 });
  const { defaults, policy } = config(at);
  expect(defaults).toBe('\\${oc.env:HOME}/base.yaml'); // OmegaConf reads `\${` as `${`
  expect(policy.model_name).toBe('a: [b]\n# \\${x}');
  expect(policy.generation.vllm_cfg.http_server_serving_chat_kwargs.tool_parser).toBe('true');
});

interface Refusal {
  args?: string[];
  prepare?: (at: Place) => void;
  what: string;
  says: string;
}

const REFUSALS: Record<string, Refusal> = {
  'no checkout': { args: ['--nemo-rl', 'root'], what: 'not a checkout of NeMo RL', says: 'git clone --recursive' },
  'too few rows': {
    args: ['--prompts-per-step', '6'],
    what: '5 rows are fewer than 6 prompts per step',
    says: 'to 5 or less',
  },
  'an unknown split': { args: ['--train', 'dev'], what: 'no rows of split "dev"', says: 'the splits are' },
  'no validation': {
    args: ['--validation', 'dev'],
    what: 'no split "dev" to validate on',
    says: '--no-validation',
  },
  'an unknown model': {
    args: ['--model', 'some/model'],
    what: 'tool parser for model "some/model"',
    says: '--tool-parser NAME',
  },
  'a base without keys': {
    args: ['--base', 'my.yaml'],
    prepare: (at) => at.put('my.yaml', BASE.replace(/precision: .*/, '').replace(', num_nodes: 1', '')),
    what: 'the base lacks keys that NeMo RL requires',
    says: 'cluster.num_nodes\n  - policy.precision\n',
  },
  'a base that is not complete at all': {
    args: ['--base', 'my.yaml'],
    prepare: (at) => at.put('my.yaml', 'grpo: {}\n'),
    what: 'the base lacks keys',
    says: 'more\n  at:  my.yaml',
  },
  'a base with another backend': {
    args: ['--base', 'my.yaml'],
    prepare: (at) => at.put('my.yaml', BASE.replace('backend: vllm', 'backend: sglang')),
    what: 'the base generates with "sglang"',
    says: 'policy.generation.backend: vllm',
  },
  'a base that refers to data': {
    args: ['--base', 'my.yaml'],
    prepare: (at) => at.put('my.yaml', `${BASE}name: \${data.train.dataset_name}\n`),
    what: 'the base refers to missing keys',
    says: 'name: ${data.train.dataset_name}',
  },
  'a base that is not YAML': {
    args: ['--base', 'my.yaml'],
    prepare: (at) => at.put('my.yaml', 'a: [\n'),
    what: 'invalid YAML',
    says: 'my.yaml:2:1',
  },
  'a base that is not there': { args: ['--base', 'my.yaml'], what: 'no such file', says: 'my.yaml' },
  'a base that inherits from itself': {
    args: ['--base', 'my.yaml'],
    prepare: (at) => at.put('my.yaml', 'defaults: my.yaml\n'),
    what: 'configs inherit from each other in a cycle',
    says: 'my.yaml',
  },
  'the base as the file to write': {
    args: ['--base', 'my.yaml', '-o', './my.yaml', '--force'],
    prepare: (at) => at.put('my.yaml', BASE),
    what: 'the config would replace its base',
    says: '-o',
  },
  'rows that NeMo RL cannot read': {
    prepare: ({ cwd }) => appendFileSync(join(cwd, TRAIN), '\nno row\n'),
    what: 'invalid lines would end the training run',
    says: 'line 6: blank line\n  - line 7: not valid JSON',
  },
};

test.each(Object.entries(REFUSALS))('refuses %s', async (_, { args = [], prepare, what, says }) => {
  const at = await place();
  prepare?.(at);
  const { exitCode, stdout, stderr } = await at.trainer(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(what);
  expect(stderr).toContain(says);
  expect(existsSync(join(at.cwd, FILE))).toBe(false);
});

test('without --nemo-rl it says what to add', async () => {
  const at = await place();
  const { stderr, exitCode } = await at.run('trainer', 'nemo-rl', 'root');
  expect({ stderr, exitCode }).toEqual({
    stderr: 'error: missing checkout of NeMo RL\n  fix: add --nemo-rl CHECKOUT\n',
    exitCode: 2,
  });
});

test('warns of rows that are too long, the longest first', async () => {
  const at = await place();
  const rows = readFileSync(join(at.cwd, TRAIN), 'utf8').trimEnd().split('\n');
  const longer = rows.map((row, index) => row.replace('Run a battery.', `Run a battery. ${'x'.repeat(400 * index)}`));
  at.put(TRAIN, `${longer.join('\n')}\n`);
  const { exitCode, stderr } = await at.trainer('--max-total-sequence-length', '300');
  expect(exitCode).toBe(0);
  expect(stderr).toContain('warning: max_total_sequence_length 300: 2 rows are longer, at 4 characters per token');
  expect(stderr).toMatch(/ {2}grid_v1 train:5 .*day-4: 4\d\d tokens\n {2}grid_v1 train:4 .*day-3: 3\d\d tokens\n/);
  expect(config(at).policy.max_total_sequence_length).toBe(300);
  const { overLength } = JSON.parse((await at.trainer('--max-total-sequence-length', '300', '--json')).stdout);
  expect(overLength).toMatchObject({
    count: 2,
    longest: [{ server: 'grid_v1', split: 'train', line: 5 }, { line: 4 }],
  });
});

test('warns of an old NeMo Gym in the checkout', async () => {
  const at = await place();
  at.put('rl/3rdparty/Gym-workspace/Gym/pyproject.toml', '[project]\nname = "nemo-gym"\n');
  at.put('rl/3rdparty/Gym-workspace/Gym/nemo_gym/package_info.py', 'MAJOR = 0\nMINOR = 5\nPATCH = 1\n');
  expect((await at.trainer()).stderr).toContain('3rdparty/Gym-workspace/Gym: is a checkout of NeMo Gym 0.5.1');
});

test('warns of more rollouts than episodes, if the config says how many a bundle has', async () => {
  const at = await place();
  const file = 'root/resources_servers/grid_v1/configs/grid_v1.yaml';
  at.put(file, text(at, file).replace(/^( +)url: .*/m, '$1bundle: ./bundle\n$1max_concurrent_envs: 16'));
  const { stderr } = await at.trainer();
  expect(stderr).toContain('grid_v1: serves 16 episodes at once, but a step plays 32 rollouts');
  expect((await at.trainer('--prompts-per-step', '2')).stderr).not.toContain('warning');
});

test('warns of a base that enables no backend', async () => {
  const at = await place();
  at.put('my.yaml', `defaults: ${CHECKOUT_BASE}\npolicy: {dtensor_cfg: {enabled: false}}\n`);
  const args = ['--base', 'my.yaml', '--prompts-per-step', '4'];
  expect((await at.trainer(...args)).stderr).toContain('enables neither policy.megatron_cfg nor policy.dtensor_cfg');
  expect((await at.trainer(...args, '--lora', '8')).stderr).not.toContain('warning');
});
