import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { TrainerAxolotlDocument } from '../../../src/documents/schemas/trainer.js';
import { tempFolder } from '../../support/built-cli.js';
import { gymgenHere } from '../../support/cli-here.js';
import { type Row, row, tool, user, writeRoot } from '../../trainer/axolotl/support.js';

const fine = [row(user('a')), row(user('b'))];
const equal = [row(user('a')), row(user('a'))];

function rootOf(splits: Record<string, (Row | string)[]>, config?: string) {
  const cwd = tempFolder();
  writeRoot(join(cwd, 'root'), splits, config);
  const run = (...args: string[]) => gymgenHere(['trainer', 'axolotl', 'root', ...args], { cwd });
  const read = (file: string) => readFileSync(join(cwd, file), 'utf8');
  return { cwd, run, read };
}

const filesIn = (folder: string) => {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
};

test('rows that the loader keeps are trained on as they are', async () => {
  const { cwd, run, read } = rootOf({ train: fine });
  const { stdout, stderr, exitCode } = await run();
  expect({ stdout, exitCode }).toEqual({ stdout: 'wrote axolotl_shop\n', exitCode: 0 });
  expect(stderr).toContain('train: 2 rows, unchanged by the loader\n');
  expect(filesIn(join(cwd, 'axolotl_shop'))).toEqual(['shop.yaml', 'shop_policy_model.yaml']);
  const config = parse(read('axolotl_shop/shop.yaml'));
  expect(config).toMatchObject({
    base_model: 'Qwen/Qwen3-4B',
    nemo_gym_auto_start: false,
    nemo_gym_multi_turn: true,
    nemo_gym_model_name: 'Qwen/Qwen3-4B',
    nemo_gym_datasets: [{ path: '../root/resources_servers/shop/data/train.jsonl', server_name: 'shop' }],
    trl: { chat_template_kwargs: { enable_thinking: false } },
  });
  expect(parse(read('axolotl_shop/shop_policy_model.yaml')).policy_model.responses_api_models.vllm_model).toMatchObject(
    {
      model: 'Qwen/Qwen3-4B',
      return_token_id_information: true,
    },
  );
  const commands = stderr.split('\n').filter((line) => /^ {2}(VLLM|export|gym|cd|axolotl)/.test(line));
  expect(commands.map((line) => line.trim().split(' ').slice(0, 3).join(' '))).toEqual([
    'VLLM_ALLOW_RUNTIME_LORA_UPDATING=True vllm serve',
    expect.stringMatching(/^export NEMO_GYM_EXTRA_ROOTS=.*axolotl_shop:.*root$/),
    'gym env start',
    expect.stringMatching(/^cd .*axolotl_shop$/),
    'axolotl train shop.yaml',
  ]);
  expect(stderr).toContain('--enable-auto-tool-choice --tool-call-parser hermes');
  expect(stderr).toContain('++shop_simple_agent.responses_api_agents.simple_agent.max_steps=8');
});

test('rows that the loader spoils are reported with exit code 1, and fixed with --fix', async () => {
  const { cwd, run, read } = rootOf({ train: equal, eval: fine });
  const { stderr, exitCode } = await run();
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    'warning: train: line 2: same first user message as an earlier row: only one row of each message is kept [axolotl-equal-messages]\n',
  );
  expect(stderr).toMatch(/To fix the rows: gymgen trainer axolotl root --fix\n|To fix the rows: .*--fix\n/);
  expect(await run('--fix')).toMatchObject({ exitCode: 0 });
  expect(filesIn(join(cwd, 'axolotl_shop'))).toEqual([
    'eval.axolotl.jsonl',
    'responses_api_agents/axolotl_agent/app.py',
    'responses_api_agents/axolotl_agent/configs/shop_axolotl.yaml',
    'responses_api_agents/axolotl_agent/requirements.txt',
    'shop.yaml',
    'shop_policy_model.yaml',
    'train.axolotl.jsonl',
  ]);
  expect(parse(read('axolotl_shop/shop.yaml')).nemo_gym_datasets[0].path).toBe('train.axolotl.jsonl');
  expect(read('axolotl_shop/train.axolotl.jsonl').trim().split('\n')).toHaveLength(2);
});

test('--json prints the document, and --dry-run writes nothing', async () => {
  const { cwd, run } = rootOf({ train: equal });
  const { stdout, exitCode } = await run('--json', '--dry-run');
  expect(exitCode).toBe(1);
  const document = TrainerAxolotlDocument.parse(JSON.parse(stdout));
  expect(document).toMatchObject({
    status: 'planned',
    form: 'plugin',
    name: 'shop',
    folder: 'axolotl_shop',
    files: ['shop.yaml', 'shop_policy_model.yaml'],
    fixed: false,
    data: [
      {
        split: 'train',
        rows: 2,
        overLength: 0,
        findings: [{ code: 'axolotl-equal-messages', fatal: false, rows: { count: 1, first: [2] } }],
      },
    ],
    runTimeout: 1560,
    steps: [{ title: 'vLLM' }, { title: 'NeMo Gym' }, { title: 'Axolotl' }],
  });
  expect(document.config).toContain('base_model: "Qwen/Qwen3-4B"');
  expect(existsSync(join(cwd, 'axolotl_shop'))).toBe(false);
});

test('the time limit of a rollout is above those of the server', async () => {
  const config = `shop:
  resources_servers:
    shop: {reset_timeout: 30, tool_timeout: 7.5}
shop_simple_agent:
  responses_api_agents:
    simple_agent: {max_steps: 5}
`;
  const { run, read } = rootOf({ train: fine }, config);
  await run();
  expect(parse(read('axolotl_shop/shop.yaml')).nemo_gym_run_timeout).toBe(30 + 5 * (8 + 60));
  await run('--max-steps', '2', '-o', 'other');
  expect(parse(read('other/shop.yaml')).nemo_gym_run_timeout).toBe(30 + 2 * (8 + 60));
});

test('options reach the config', async () => {
  const { run, read } = rootOf({ all: fine });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what OmegaConf would replace
  const model = 'org/"x": ${HOME} # y';
  const values = ['--model', model, '--tool-parser', 'llama3_json', '--lora', '12', '--generations', '4'];
  const { stderr, exitCode } = await run(
    ...values,
    '--training-steps',
    '7',
    '--max-new-tokens',
    '256',
    '--head-port',
    '12001',
  );
  expect(exitCode).toBe(0);
  const config = parse(read('axolotl_shop/shop.yaml'));
  expect(config).toMatchObject({
    base_model: model,
    lora_r: 12,
    lora_alpha: 24,
    max_steps: 7,
    nemo_gym_head_port: 12_001,
    trl: { num_generations: 4, max_completion_length: 256 },
  });
  expect(config.trl).not.toHaveProperty('chat_template_kwargs');
  expect(config.sequence_len).toBe(3072);
  // OmegaConf would replace ${HOME}.
  expect(read('axolotl_shop/shop_policy_model.yaml')).toContain(String.raw`model: "org/\"x\": \\${'$'}{HOME} # y"`);
  expect(stderr).toContain(`vllm serve 'org/"x": \${HOME} # y'`);
  expect(stderr).toContain('--max-lora-rank 16');
});

test('a step has no more rows than the loader keeps', async () => {
  const rows = ['a', 'a', 'b', 'c', 'd'].map((text) => row(user(text)));
  const { run, read } = rootOf({ train: rows, eval: rows.slice(0, 3) });
  const stepOf = async (...args: string[]) => {
    await run('-o', 'out', ...args);
    const { micro_batch_size: rows, gradient_accumulation_steps: generations } = parse(read('out/shop.yaml'));
    return [rows, generations];
  };
  expect(await stepOf()).toEqual([4, 8]);
  expect(await stepOf('--train', 'eval', '--generations', '6')).toEqual([2, 6]);
  expect(await stepOf('--train', 'eval', '--fix')).toEqual([3, 8]);
});

test('a model that is a folder is named by its absolute path', async () => {
  const { cwd, run, read } = rootOf({ train: fine });
  mkdirSync(join(cwd, 'models/qwen3-4b'), { recursive: true });
  await run('--model', 'models/qwen3-4b');
  const config = parse(read('axolotl_shop/shop.yaml'));
  const path = realpathSync(join(cwd, 'models/qwen3-4b'));
  expect([config.base_model, config.nemo_gym_model_name]).toEqual([path, path]);
});

test('a folder whose name NeMo Gym cannot use is an error', async () => {
  const { cwd, run } = rootOf({ train: fine });
  renameSync(join(cwd, 'root/resources_servers/shop'), join(cwd, 'root/resources_servers/\u202eshop 2'));
  const { stderr, exitCode } = await run();
  expect(stderr).toMatch(/cannot use the name of this folder/);
  expect(stderr).not.toContain('\u202e');
  expect(exitCode).toBe(2);
});

test('the rollout loop gets the port of the agent, and says which version it needs', async () => {
  const { cwd, run, read } = rootOf({ train: equal });
  const { stderr } = await run('--fix', '--form', 'rollout-loop', '--port', '18399');
  const text = read('axolotl_shop/shop_rollout_loop.yaml');
  expect(parse(text)).toEqual({ agent_servers: { shop_axolotl_agent: 'http://127.0.0.1:18399' }, run_timeout: 1560 });
  expect(text).toMatch(/in Axolotl's main branch, and not in 0\.21\.0/);
  expect(stderr).toContain('++shop_axolotl_agent.responses_api_agents.axolotl_agent.port=18399');
  expect(existsSync(join(cwd, 'axolotl_shop/shop.yaml'))).toBe(false);
});

test.each([
  [['--train', 'eval'], /no rows of split "eval" to train on[\s\S]*--train SPLIT; the splits are train, none/],
  [['--model', 'meta-llama/Llama-3.1-8B'], /unknown tool parser for model .*[\s\S]*--tool-parser NAME/],
  [['--max-total-sequence-length', '1024'], /not above --max-new-tokens/],
  [['--train', 'none'], /no rows to train on[\s\S]*none\.jsonl/],
  [['--max-new-tokens', '9007199254740991'], /replies of 9007199254740991 tokens are too long/],
  [['--lora', '513'], /--lora 513 is above vLLM's largest rank, 512/],
  [['--form', 'rollout-loop', '--head-port', '1'], /cannot read the agents of a running NeMo Gym[\s\S]*--port/],
  [['--form', 'other'], /--form <plugin\|rollout-loop>/],
  [['-o', 'root/resources_servers'], /the output folder is in the Gym root/],
  [['-o', 'link/new'], /the output folder is in the Gym root/],
  [['bank'], /no folder "bank" in this Gym root/],
])('%j ends with 2 and writes nothing', async (args, message) => {
  const { cwd, run } = rootOf({ train: fine, none: [] });
  symlinkSync('root', join(cwd, 'link'));
  const before = filesIn(cwd);
  const { stdout, stderr, exitCode } = await run(...args);
  expect(stderr).toMatch(message);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(filesIn(cwd)).toEqual(before);
});

test('a line that is not a row stops --fix before anything is written', async () => {
  const { cwd, run } = rootOf({ train: [...fine, '', '{'] });
  expect((await run()).stderr).toContain(
    'warning: train: lines 3, 4: blank, or not a row: the loader stops [axolotl-line]',
  );
  const { stderr, exitCode } = await run('--fix', '-o', 'fixed');
  expect(stderr).toMatch(/line is not a row: not valid JSON[\s\S]*train\.jsonl:4/);
  expect(exitCode).toBe(2);
  expect(existsSync(join(cwd, 'fixed'))).toBe(false);
});

test.each([
  ['shop.yaml', 'base_model: mine\n', /shop\.yaml/],
  ['train.axolotl.jsonl', '{"responses_create_params": {}}\n', /train\.axolotl\.jsonl/],
  [
    'train.axolotl.jsonl',
    '{"responses_create_params": {}, "gymgen_row": "", "agent_ref": {"name": "bank_axolotl_agent"}}\n',
    /this server/,
  ],
])('a file that is not its own is replaced only with --force: %s', async (name, text, message) => {
  const { cwd, run, read } = rootOf({ train: fine });
  mkdirSync(join(cwd, 'axolotl_shop'));
  writeFileSync(join(cwd, 'axolotl_shop', name), text);
  const { stderr, exitCode } = await run('--fix');
  expect(stderr).toMatch(message);
  expect(exitCode).toBe(2);
  expect(filesIn(join(cwd, 'axolotl_shop'))).toEqual([name]);
  expect(await run('--fix', '--force')).toMatchObject({ exitCode: 0 });
  expect(read(join('axolotl_shop', name))).not.toBe(text);
  expect(await run('--fix')).toMatchObject({ exitCode: 0 });
});

test('an edited config is replaced only with --force', async () => {
  const { cwd, run, read } = rootOf({ train: fine });
  await run();
  const path = join(cwd, 'axolotl_shop/shop.yaml');
  writeFileSync(path, read('axolotl_shop/shop.yaml').replace('max_steps: 40', 'max_steps: 400'));
  const { stderr, exitCode } = await run();
  expect(stderr).toMatch(/file was edited by hand[\s\S]*shop\.yaml[\s\S]*--force/);
  expect(exitCode).toBe(2);
});

test('text of the rows is displayed safely', async () => {
  const reset = (value: unknown) => ({ reset: { '\u202e::error::x\n': value } });
  const { run } = rootOf({ train: [row(user('a'), reset(1)), row(user('b'), reset('x'), [tool('t', {})])] });
  const { stderr } = await run();
  expect(stderr).toContain('[axolotl-mixed-types]');
  expect(stderr).not.toMatch(/\u202e|^::/m);
});
