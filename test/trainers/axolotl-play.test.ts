// Axolotl's own loader and caller play rows before and after `gymgen trainer axolotl --fix`, on real NeMo Gym, real OpenEnv
// servers, and a model server without a model.

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Conversation, Move } from '../../src/play/index.js';
import { NemoGym, readJsonLines, writeJsonLines } from '../e2e/support/gym.js';
import { folderOf, gymgen, mustGymgen, snapshot, tempFolder } from '../e2e/support/gymgen.js';
import { operator } from '../e2e/support/operator.js';
import { freePort } from '../e2e/support/ports.js';
import { endings } from '../e2e/support/processes.js';
import type { Row } from '../e2e/support/run-python.js';
import { agentEnv, faulty, gridsim } from '../e2e/support/servers.js';
import { solver } from '../e2e/support/solver.js';
import { trader } from '../e2e/support/trader.js';
import { AXOLOTL, axolotl } from './support/axolotl.js';
import { type Vllm, vllm } from './support/vllm.js';

const RENAMED = { stats: 'statistics' };
const NAMES = ['gridsim_v1', 'tools_v1', 'faulty'];

const root = tempFolder();
/** A copy of the root whose rows of gridsim's eval split are mixed. */
const mixedRoot = tempFolder();
const work = tempFolder();
const ending = endings();
let gym: NemoGym;
let model: Vllm;
let port: number;

interface Played {
  load_nemo_gym_datasets?: string;
  keyed: number;
  unhashable: string | null;
  'rows that differ from the file': number;
  aligned: boolean;
  rollouts: { task: string; reward: number; trained: number; masked: boolean; error: string | null }[];
}

async function played(rows: string, name: string): Promise<Played> {
  const at = ['--rows', rows, '--server-name', name, '--head-port', String(gym.headPort)];
  const { stdout } = await axolotl('axolotl_play.py', ...at, '--limit', '300', '--generations', '1');
  return JSON.parse(stdout);
}

const data = (name: string, split: string, gymRoot = root) => join(folderOf(gymRoot, name), `data/${split}.jsonl`);
const fixedRows = (name: string, split: string) => join(work, name, `${split}.axolotl.jsonl`);
const byTask = (rollouts: readonly { task: string; reward: number }[]) =>
  Object.fromEntries(rollouts.map(({ task, reward }) => [task, reward]).sort());

/** The rewards of `gym eval run` with the agent of the Gym root, by task; masked ones are left out. */
async function rewards(rows: string): Promise<Record<string, number>> {
  const rollouts = await gym.play(rows, '--concurrency', '16');
  const scored = rollouts.filter(({ mask_sample }) => !mask_sample);
  return byTask(scored.map(({ task_id, reward }) => ({ task: task_id, reward })));
}

/** What a play returns, and the different toolsets that the model is shown, as JSON of their parameters. */
async function shown<T>(play: () => Promise<T>): Promise<{ result: T; tools: string[] }> {
  model.tools.length = 0;
  const result = await play();
  return { result, tools: [...new Set(model.tools)].sort() };
}

interface Document {
  data: { split: string; findings: { code: string; fatal: boolean; rows: { count: number; first: number[] } }[] }[];
  agents?: Record<string, string>;
}

async function checked(gymRoot: string, name: string, split: string) {
  const { stdout, exitCode } = await gymgen('trainer', 'axolotl', gymRoot, name, '--dry-run', '--json');
  const document = JSON.parse(stdout) as Document;
  const findings = document.data.find((each) => each.split === split)?.findings ?? [];
  return { exitCode, findings: findings.map(({ code, rows }) => [code, rows.count, rows.first]) };
}

/** Rows with all that the loader spoils: equal messages, texts, and tools of other parameters. */
function mixedRows(): Row[] {
  const [a, b, c, d, e] = readJsonLines<Row>(data('gridsim_v1', 'eval')) as [Row, Row, Row, Row, Row];
  const promptOf = (row: Row) => row.responses_create_params.input.at(-1)?.content as string;
  const withText = (row: Row) => ({
    ...row,
    responses_create_params: { ...row.responses_create_params, input: promptOf(row) },
  });
  const withPrompt = (row: Row, prompt: string) => {
    const params = { ...row.responses_create_params, input: [{ role: 'user', content: prompt }] };
    return { ...row, responses_create_params: params };
  };
  return [a, withText(b) as unknown as Row, withText(c) as unknown as Row, withPrompt(d, promptOf(a)), e];
}

describe.skipIf(!AXOLOTL)('Axolotl 0.21.0', () => {
  beforeAll(async () => {
    const days = ending(await gridsim());
    const tools = ending(await agentEnv('tools-v1'));
    const faults = ending(await faulty());
    await faults.control({ slow_s: 2 });
    await mustGymgen(days.url, root);
    await mustGymgen(tools.url, root, '--rename-tool', 'stats=statistics');
    await mustGymgen(faults.url, root, '--name', 'faulty', '--tool-timeout', '10', '--reset-timeout', '30');
    cpSync(root, mixedRoot, { recursive: true });
    writeJsonLines(data('gridsim_v1', 'eval', mixedRoot), mixedRows());
    const before = snapshot(root);
    for (const name of NAMES) await mustGymgen('trainer', 'axolotl', root, name, '--fix', '-o', join(work, name));
    await mustGymgen('trainer', 'axolotl', mixedRoot, 'gridsim_v1', '--fix', '-o', join(work, 'mixed'));
    expect(snapshot(root)).toEqual(before);

    const ids = new Map(
      readJsonLines<Row>(data('tools_v1', 'all')).map((row) => [
        row.responses_create_params.input.at(-1)?.content ?? '',
        row.task_id,
      ]),
    );
    const solve = solver(ids, RENAMED);
    const policy = (asked: Conversation): Move => {
      if (ids.has(asked.prompt)) return solve(asked);
      return asked.prompt.startsWith('{"task_id": "day-') ? trader(asked) : operator(asked);
    };
    model = ending(await vllm(policy));
    gym = ending(
      await NemoGym.on(
        root,
        {},
        NAMES.map((name) => join(work, name)),
      ),
    );
    port = await freePort();
    const agent = '++gridsim_v1_axolotl_agent.responses_api_agents.axolotl_agent';
    const configs = [
      'gridsim_v1_policy_model.yaml',
      ...NAMES.map((name) => `resources_servers/${name}/configs/${name}.yaml`),
      ...NAMES.map((name) => `responses_api_agents/axolotl_agent/configs/${name}_axolotl.yaml`),
    ].flatMap((config) => ['--config', config]);
    const url = `++policy_model.responses_api_models.vllm_model.base_url=${model.url}`;
    await gym.startWith(
      NAMES,
      [...configs, url, `${agent}.host=127.0.0.1`, `${agent}.port=${port}`],
      ['axolotl_agent'],
    );
  });

  test("accepts the configs' keys", async () => {
    for (const name of NAMES) {
      const config = join(work, name, `${name}.yaml`);
      expect(await axolotl('axolotl_config.py', config)).toMatchObject({ exitCode: 0 });
    }
  });

  describe('before --fix', () => {
    test.each([
      ['gridsim_v1', 'eval', 200],
      ['tools_v1', 'all', 8],
    ])('shows the model other tools on %s, as the finding says', async (name, split, count) => {
      const { exitCode, findings } = await checked(root, name, split);
      expect({ exitCode, findings }).toEqual({
        exitCode: 1,
        findings: [['axolotl-tools', count, Array.from({ length: Math.min(10, count) }, (_, at) => at + 1)]],
      });
      const before = await shown(() => played(data(name, split), name));
      expect(before.result['rows that differ from the file']).toBe(count);
      const { tools: written } = await shown(() => rewards(data(name, split)));
      const same = before.tools.filter((tools) => written.includes(tools));
      expect(same).toEqual([]);
    });

    test('loses, changes or refuses mixed rows', async () => {
      const all = mixedRows();
      const file = join(work, 'part.jsonl');
      const play = async (...rows: unknown[]) => {
        writeJsonLines(data('gridsim_v1', 'eval', mixedRoot), rows as object[]);
        writeJsonLines(file, rows as object[]);
        const { findings } = await checked(mixedRoot, 'gridsim_v1', 'eval');
        const codes = findings
          .map(([code, , lines]) => `${code} ${lines}`)
          .filter((code) => !code.startsWith('axolotl-tools'));
        const result = await played(file, 'gridsim_v1');
        const error = result.load_nemo_gym_datasets ?? result.unhashable;
        return [...codes, error ? error.split(':')[0] : `kept ${result.keyed} of ${rows.length}`];
      };
      const [a, b, c, d, e] = all;
      const parts = (row: Row | undefined) => {
        const content = [{ type: 'input_text', text: 'a' }];
        return {
          ...row,
          responses_create_params: { ...row?.responses_create_params, input: [{ role: 'user', content }] },
        };
      };
      expect(await play(a, d, e)).toEqual(['axolotl-equal-messages 2', 'kept 2 of 3']);
      expect(await play(b, c)).toEqual(['axolotl-text-input 2', 'kept 1 of 2']);
      expect(await play(...all)).toEqual([
        'axolotl-mixed-types 2,3',
        'axolotl-equal-messages 4',
        'axolotl-text-input 3',
        'ArrowInvalid',
      ]);
      expect(await play(parts(a))).toEqual(['axolotl-list-content 1', 'TypeError']);
    });

    test('trains on rollouts that the environment failed', async () => {
      const { rollouts } = await played(data('faulty', 'faults'), 'faulty');
      const masked = rollouts.filter((rollout) => rollout.masked);
      expect(masked.filter(({ trained }) => trained > 0).length).toBeGreaterThan(0);
    });
  });

  describe('after --fix', () => {
    test.each([
      ['gridsim_v1', 'eval', 200],
      ['tools_v1', 'all', 8],
    ])('gets the rewards of gym eval run on %s', async (name, split, count) => {
      const { result: after, tools } = await shown(() => played(fixedRows(name, split), name));
      expect(after).toMatchObject({ keyed: count, aligned: true });
      expect(after.rollouts.filter(({ masked, trained }) => masked || trained === 0)).toEqual([]);
      const run = await shown(() => rewards(data(name, split)));
      expect(byTask(after.rollouts)).toEqual(run.result);
      expect(tools).toEqual(run.tools);
      expect(new Set(Object.values(run.result)).size, 'different rewards, or equality says little').toBeGreaterThan(1);
    });

    test('gets the rewards of gym eval run on the mixed rows', async () => {
      const file = join(work, 'mixed.jsonl');
      writeJsonLines(file, mixedRows());
      const after = await played(fixedRows('mixed', 'eval'), 'gridsim_v1');
      expect(after).toMatchObject({ keyed: 5, aligned: true });
      expect(byTask(after.rollouts)).toEqual(await rewards(file));
    });

    test('trains on no token of a rollout that the environment failed', async () => {
      const { rollouts } = await played(fixedRows('faulty', 'faults'), 'faulty');
      const masked = rollouts.filter(({ error }) => error !== null);
      expect(masked.length).toBeGreaterThan(10);
      expect(masked.every(({ error, trained }) => error?.startsWith('masked: ') && trained === 0)).toBe(true);
      const scored = rollouts.filter(({ error }) => error === null);
      expect(scored.every(({ trained }) => trained > 0)).toBe(true);
    });
  });

  describe('the rollout loop of later versions', () => {
    const rolloutLoop = async (folder: string, ...more: string[]) => {
      const args = [
        'trainer',
        'axolotl',
        root,
        'gridsim_v1',
        '--form',
        'rollout-loop',
        '-o',
        join(work, folder),
        '--force',
      ];
      await gymgen(...args, ...more);
      return parse(readFileSync(join(work, folder, 'gridsim_v1_rollout_loop.yaml'), 'utf8'));
    };

    test('gets the agents of the running NeMo Gym, or the port that is fixed', async () => {
      const running = await rolloutLoop('running', '--head-port', String(gym.headPort));
      expect(Object.keys(running.agent_servers)[0]).toBe('gridsim_v1_simple_agent');
      expect(Object.keys(running.agent_servers)).toContain('faulty_axolotl_agent');
      const fixed = await rolloutLoop('fixed', '--fix', '--port', String(port));
      expect(fixed).toEqual({
        agent_servers: { gridsim_v1_axolotl_agent: `http://127.0.0.1:${port}` },
        run_timeout: 1560,
      });
    });

    // Axolotl's page: `agent_request` is the /run body for one rollout of a row, with max_tokens, temperature and top_p;
    // `turns_from_agent_output`: NeMo Gym puts a call's token ids on its last item.
    test.each([
      ['the row as written', () => data('gridsim_v1', 'eval'), 'running'],
      ['the fixed row', () => fixedRows('gridsim_v1', 'eval'), 'fixed'],
    ])('gets token ids and log probabilities of each model call: %s', async (_, file, folder) => {
      const expected = await rewards(data('gridsim_v1', 'eval'));
      const { agent_servers: agents } = parse(readFileSync(join(work, folder, 'gridsim_v1_rollout_loop.yaml'), 'utf8'));
      for (const row of readJsonLines<Row & { gymgen_row?: string }>(file()).slice(0, 12)) {
        const sampling = { max_output_tokens: 512, temperature: 0.7, top_p: 0.9 };
        const body = { ...row, responses_create_params: { ...row.responses_create_params, ...sampling } };
        const answer = await fetch(`${agents[row.agent_ref.name]}/run`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        expect(answer.status).toBe(200);
        const { response, reward, task_id } = (await answer.json()) as Answer;
        expect(reward).toBe(expected[task_id]);
        expect(response).toMatchObject(sampling);
        const turns = turnsOf(response.output);
        expect(turns.length).toBeGreaterThan(0);
        let before: number[] = [];
        for (const { prompt_token_ids: prompt, generation_token_ids: generated, generation_log_probs: logs } of turns) {
          expect(prompt?.slice(0, before.length)).toEqual(before);
          expect(generated?.length).toBeGreaterThan(0);
          expect(logs).toHaveLength(generated?.length ?? 0);
          before = [...(prompt ?? []), ...(generated ?? [])];
        }
      }
    });
  });
});

interface Item {
  type: string;
  prompt_token_ids?: number[];
  generation_token_ids?: number[];
  generation_log_probs?: number[];
}

interface Answer {
  response: { output: Item[] };
  reward: number;
  task_id: string;
}

/** The last item of each model call. The results of tools stand between the calls. */
function turnsOf(output: readonly Item[]): Item[] {
  const isOfModel = ({ type }: Item) => type !== 'function_call_output';
  return output.filter((item, at) => {
    const next = output[at + 1];
    return isOfModel(item) && (next === undefined || !isOfModel(next));
  });
}
