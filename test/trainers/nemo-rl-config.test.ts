// Configs of `gymgen trainer nemo-rl`, loaded by NeMo RL's own code as its runner does before it starts a cluster.

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { folderOf, mustGymgen, startGymgen, tempFolder } from '../e2e/support/gymgen.js';
import { endings } from '../e2e/support/processes.js';
import { faulty, gridsim } from '../e2e/support/servers.js';
import { CHECKOUT, copyCheckout, type Loaded, loadConfig } from './support/nemo-rl.js';

const EXCERPT = new URL('agentenv-excerpt.yaml', import.meta.url);
const GYM = '3rdparty/Gym-workspace/Gym';

const work = tempFolder();
const ending = endings();
const rl = join(work, 'rl');
const root = join(work, 'root');

/** Runs the command in the work folder. @returns what it printed, as JSON */
async function trainer(...args: string[]) {
  const { exitCode, stdout, stderr } = await startGymgen(
    ['trainer', 'nemo-rl', ...args, '--nemo-rl', 'rl', '--json'],
    {},
    work,
  );
  return { exitCode, document: JSON.parse(stdout), stderr };
}

/** Writes a config, and loads it with NeMo RL. */
async function trained(
  name: string,
  ...args: string[]
): Promise<{ loaded: Loaded; document: Record<string, unknown> }> {
  const { exitCode, document, stderr } = await trainer(...args, '-o', `configs/${name}.yaml`);
  expect(exitCode, `${stderr}${JSON.stringify(document.error)}`).toBe(0);
  return { document, loaded: await loadConfig(rl, join(work, `configs/${name}.yaml`), rl) };
}

/** Loads a config that was edited by hand. */
async function edited(name: string, change: (text: string) => string): Promise<Loaded> {
  const text = readFileSync(join(work, 'configs/gridsim.yaml'), 'utf8');
  const file = join(work, `configs/${name}.yaml`);
  writeFileSync(file, change(text));
  expect(readFileSync(file, 'utf8')).not.toBe(text);
  return loadConfig(rl, file, rl);
}

describe.skipIf(!CHECKOUT)('with a checkout of NeMo RL', () => {
  beforeAll(async () => {
    copyCheckout(rl);
    const [day, faults] = [ending(await gridsim()), ending(await faulty())];
    await mustGymgen(day.url, root);
    await mustGymgen(faults.url, root, '--name', 'faulty');
    mkdirSync(join(rl, GYM), { recursive: true });
    await mustGymgen(day.url, join(rl, GYM));
    await mustGymgen(day.url, join(rl, 'gym-root'), '--limit', '3');
  });

  test('a root outside of the checkout', async () => {
    const { loaded, document } = await trained('gridsim', 'root', 'gridsim_v1');
    expect(loaded).toMatchObject({
      exitCode: 0,
      rows: { train: 2000, validation: 200 },
      agents: ['gridsim_v1_simple_agent'],
      vllm_cfg: { max_model_len: 2048, http_server_serving_chat_kwargs: { tool_parser: 'hermes' } },
      problems: [],
    });
    expect(document).toMatchObject({
      warnings: [],
      commands: [`cd ${rl}`, `export NEMO_GYM_EXTRA_ROOTS=${root}`, /./],
    });
  });

  test("roots in the checkout: NeMo Gym's own, and another one", async () => {
    const { loaded, document } = await trained('inside', `rl/${GYM}`);
    expect(loaded).toMatchObject({ exitCode: 0, rows: { train: 2000, validation: 200 } });
    expect(document.commands).toHaveLength(2); // NeMo Gym finds it without NEMO_GYM_EXTRA_ROOTS
    const small = await trained('small', 'rl/gym-root', '--prompts-per-step', '3');
    expect(small.loaded).toMatchObject({ exitCode: 0, rows: { train: 3, validation: 3 } });
  });

  test('two servers', async () => {
    const { loaded } = await trained('two', 'root', 'gridsim_v1', 'faulty');
    expect(loaded).toMatchObject({
      exitCode: 0,
      rows: { train: 4000, validation: 400 },
      agents: ['faulty_simple_agent', 'gridsim_v1_simple_agent'],
    });
  });

  test("a user's base keeps its values", async () => {
    writeFileSync(
      join(work, 'my.yaml'),
      `defaults: rl/examples/configs/grpo_math_1B.yaml
grpo: {num_prompts_per_step: 16, num_generations_per_prompt: 4}
policy:
  model_name: Qwen/Qwen2.5-3B-Instruct
  max_total_sequence_length: 4096
  train_global_batch_size: 64
`,
    );
    const { loaded, document } = await trained('mine', 'root', 'gridsim_v1', '--base', 'my.yaml', '--max-steps', '4');
    expect(document).toMatchObject({ model: 'Qwen/Qwen2.5-3B-Instruct', promptsPerStep: 16, generations: 4 });
    expect(loaded).toMatchObject({ exitCode: 0, vllm_cfg: { max_model_len: 4096 } });
    expect(loaded['env.nemo_gym']).toMatchObject({
      gridsim_v1_simple_agent: { responses_api_agents: { simple_agent: { max_steps: 4 } } },
    });
  });

  test("the run on AgentEnv's page, as base and as flags", async () => {
    cpSync(EXCERPT, join(work, 'excerpt.yaml'));
    const base = await trained('excerpt', `rl/${GYM}`, '--base', 'excerpt.yaml');
    const flags = await trained(
      'flags',
      `rl/${GYM}`,
      ...'--model qwen3-4b-gridsim-sft --prompts-per-step 4 --generations 8 --training-steps 40'.split(' '),
      ...'--max-steps 4 --max-total-sequence-length 3072 --max-new-tokens 1024 --lora 32 --gpus 4'.split(' '),
    );
    for (const { loaded, document } of [base, flags]) {
      expect(loaded).toMatchObject({ exitCode: 0, problems: [], vllm_cfg: { max_model_len: 3072 } });
      expect(loaded['env.nemo_gym'].gridsim_v1_simple_agent).toEqual({
        responses_api_agents: { simple_agent: { max_steps: 4 } },
      });
      expect(document).toMatchObject({ model: 'qwen3-4b-gridsim-sft', toolParser: 'hermes' });
    }
  });

  test('bases that NeMo RL would refuse are refused', async () => {
    const workplace = 'rl/examples/nemo_gym/grpo_workplace_assistant_nemotron_nano_v2_9b.yaml';
    const { exitCode, document } = await trainer('root', 'gridsim_v1', '--base', workplace, '-o', 'configs/no.yaml');
    expect(exitCode).toBe(2);
    expect(document.error.details).toEqual(['policy.megatron_cfg.moe_per_layer_logging']);
    // Without Megatron the key is not read.
    const { loaded } = await trained('workplace', 'root', 'gridsim_v1', '--base', workplace, '--lora', '32');
    expect(loaded.exitCode).toBe(0);
  });

  test('too few rows: refused, as NeMo RL would train on none', async () => {
    const { exitCode, document } = await trainer('rl/gym-root', '-o', 'configs/few.yaml');
    expect(exitCode).toBe(2);
    expect(document.error.what).toContain('3 rows are fewer than 4 prompts per step');
    expect(existsSync(join(work, 'configs/few.yaml'))).toBe(false);
    const few = await edited('few', (text) => text.replace('../root/', 'gym-root/'));
    expect(few.exitCode).toBe(1);
    expect(few.problems.join()).toContain('3 rows make no batch of 4');
  });

  test('no validation: refused, as NeMo RL would stop', async () => {
    const { exitCode, document } = await trainer('root', 'gridsim_v1', '--validation', 'dev', '-o', 'configs/no.yaml');
    expect(exitCode).toBe(2);
    expect(document.error.what).toBe('no split "dev" to validate on');
    expect(existsSync(join(work, 'configs/no.yaml'))).toBe(false);
    const without = await edited('without', (text) => text.replace(/ {2}validation:\n.*eval\.jsonl"\n/, ''));
    expect(without.exitCode).toBe(1);
    expect(without.problems.join()).toContain('validation is on and there is no data.validation');
    const { loaded } = await trained('train-only', 'root', 'gridsim_v1', '--no-validation');
    expect(loaded).toMatchObject({ exitCode: 0, rows: { train: 2000, validation: null } });
  });

  test('without _override_ NeMo RL would train on another data set', async () => {
    const { exitCode, problems } = await edited('merged', (text) =>
      text.replace(/data:\n(.*#.*\n)* {2}_override_: true\n/, 'data:\n'),
    );
    expect(exitCode).toBe(1);
    expect(problems.join()).toContain('OpenMathInstruct-2');
  });

  test('the rows of the root stay as they are', () => {
    expect(existsSync(join(folderOf(root, 'gridsim_v1'), 'grpo_gridsim_v1.yaml'))).toBe(false);
  });
});
