import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { freePort } from '../../e2e/support/ports.js';
import { Background, type Running } from '../../e2e/support/processes.js';
import { OPEN } from '../../e2e/support/ray.js';
import { ServerVenvs } from '../../e2e/support/server-venvs.js';
import { python, toolchainEnv, venv } from '../../e2e/support/toolchain.js';

/** A checkout of NeMo RL; without one, the tests that need it are skipped. */
export const CHECKOUT = process.env.NEMO_RL_CHECKOUT;

export const ORACLES = fileURLToPath(new URL('../oracles/', import.meta.url));

/** What `nemo_rl_config.py` reports of a config. */
export interface Loaded {
  exitCode: number | undefined;
  rows: { train: number; validation: number | null };
  agents: string[];
  'env.nemo_gym': Record<string, unknown>;
  vllm_cfg: Record<string, unknown>;
  problems: string[];
}

/** Copies what training imports, so that a test can add a Gym root to it. */
export function copyCheckout(folder: string): string {
  for (const part of ['nemo_rl', 'examples']) {
    mkdirSync(join(folder, part), { recursive: true });
    cpSync(join(CHECKOUT as string, part), join(folder, part), { recursive: true });
  }
  return folder;
}

/** Loads a config with NeMo RL's own code. @param cwd where NeMo RL would run */
export async function loadConfig(checkout: string, config: string, cwd: string): Promise<Loaded> {
  const args = [join(ORACLES, 'nemo_rl_config.py'), '--rl', checkout, '--config', config, '--cwd', cwd];
  const { exitCode, stdout, stderr } = await execa(await python('gym'), args, {
    env: toolchainEnv(),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
  if (!stdout.startsWith('{')) throw new Error(`nemo_rl_config.py ended with ${exitCode}:\n${stderr.slice(-4000)}`);
  return { exitCode, ...JSON.parse(stdout) };
}

/** What `run_examples.py` reports of the rollouts that NeMo RL's actor played. */
export interface Played {
  /** The error with which NeMo RL's run would have ended. */
  failure: string | null;
  'masked by the server': number;
  "masked in NeMo RL's loss": number;
  rollouts: { reward: number; mask_sample?: boolean; turns: number; components: Record<string, number> | null }[];
}

/** Servers that a trainer starts for a run, which all share the venv `gym` here. */
export const SERVERS = [
  'responses_api_agents/simple_agent',
  'responses_api_models/vllm_model',
  'environment_servers/legacy_agent',
];

/** Plays rows of a written server with NeMo RL's own actor. */
export async function runExamples(
  gymRoot: string,
  name: string,
  options: { split: string; limit: number; repeats?: number; model: string; work: string; ray: string },
): Promise<Played> {
  const venvs = new ServerVenvs(await venv('gym'), join(options.work, 'venvs'));
  for (const server of [...SERVERS, `resources_servers/${name}`]) venvs.shareOwn(server);
  const folder = `resources_servers/${name}`;
  const args = {
    rl: CHECKOUT,
    'gym-root': gymRoot,
    'config-path': `${folder}/configs/${name}.yaml`,
    rows: join(gymRoot, folder, `data/${options.split}.jsonl`),
    'model-url': options.model,
    limit: options.limit,
    repeats: options.repeats ?? 1,
    'ray-address': options.ray,
    override: `uv_venv_dir=${venvs.folder}`,
  };
  const { stdout, stderr, exitCode } = await execa(
    await python('gym'),
    [join(ORACLES, 'run_examples.py'), ...Object.entries(args).flatMap(([key, value]) => [`--${key}`, String(value)])],
    {
      env: await gymEnv(),
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
      cwd: options.work,
    },
  );
  return reportIn(stdout) ?? failed('run_examples.py', exitCode, stderr);
}

/** The document that an oracle printed; Gym's servers print before and after it. */
export function reportIn<T>(stdout: string): T | undefined {
  const report = /^REPORT (\{.*?^\})$/ms.exec(stdout)?.[1];
  return report === undefined ? undefined : JSON.parse(report);
}

export function failed(program: string, exitCode: number | undefined, stderr: string): never {
  throw new Error(`${program} ended with ${exitCode}:\n${stderr.slice(-6000)}`);
}

/** What the oracles that start NeMo Gym need. */
export async function gymEnv(): Promise<Record<string, string>> {
  return { ...toolchainEnv(), ...OPEN, PATH: `${join(await venv('gym'), 'bin')}:${toolchainEnv().PATH}` };
}

/** A model server without a model, which plays the scripts of a file. @param flags of fake_vllm.py */
export async function fakeVllm(policy: string, ...flags: string[]): Promise<Running & { url: string }> {
  const args = [join(ORACLES, 'fake_vllm.py'), String(await freePort()), policy, ...flags];
  const server = new Background(await python('gym'), args, { cwd: ORACLES, env: toolchainEnv() });
  const { url } = await server.ready((line) =>
    line.startsWith('{') ? (JSON.parse(line) as { url: string }) : undefined,
  );
  return { url, stop: () => server.stop() };
}
