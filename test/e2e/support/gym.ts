import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { inject } from 'vitest';
import type { ModelServer } from '../../../src/play/index.js';
import { folderOf } from './gymgen.js';
import { freePort } from './ports.js';
import { Background, killWith, type Running } from './processes.js';
import { OPEN } from './ray.js';
import { ServerVenvs } from './server-venvs.js';
import { toolchainEnv, venv } from './toolchain.js';

/** A rollout as `gym eval run` writes it, with the row's own keys. */
export interface Rollout {
  split: string;
  index: number;
  task_id: string;
  reward: number;
  agent_ref: { name: string };
  mask_sample?: boolean;
  failure_kind?: string;
  failure_reason?: string;
}

/** A summary of a rollout: the kind of its mask, or its reward. */
export function outcome(rollout: Rollout | undefined): string | number | undefined {
  if (!rollout?.mask_sample) return rollout?.reward;
  return rollout.reward === 0 ? rollout.failure_kind : 'masked with a reward';
}

/** Gym's own servers that a written config names, and the pairing of the typed protocol. */
const BUILT_IN = [
  'responses_api_agents/simple_agent',
  'responses_api_models/openai_model',
  'responses_api_models/vllm_model',
  'environment_servers/legacy_agent',
  'environment_servers/single_agent_turn',
];

/** NeMo Gym of the venv `gym`, with one Gym root and its own working folder. */
export class NemoGym implements Running {
  private started: Background | undefined;

  private constructor(
    private readonly gymRoot: string,
    private readonly work: string,
    private readonly command: string,
    private readonly env: Record<string, string>,
    private readonly settings: string[],
    private readonly venvs: ServerVenvs,
    /** Port of the head server. */
    readonly headPort: number,
  ) {}

  /**
   * @param more environment variables for all processes
   * @param roots further folders in which NeMo Gym looks for servers and configs, before the Gym root
   */
  static async on(gymRoot: string, more: Record<string, string> = {}, roots: string[] = []): Promise<NemoGym> {
    const home = await venv('gym');
    const work = mkdtempSync(join(tmpdir(), 'gym-'));
    const tools = toolchainEnv();
    const env = {
      ...tools,
      ...more,
      PATH: [join(home, 'bin'), tools.PATH].join(delimiter),
      ...OPEN,
      NEMO_GYM_EXTRA_ROOTS: [...roots, gymRoot].join(delimiter),
      GYMGEN_GYM_RUN: work, // identifies all its processes
    };
    const uvCache = (await execa('uv', ['cache', 'dir'], { env, extendEnv: false })).stdout;
    const venvs = new ServerVenvs(home, join(work, 'venvs'));
    for (const server of BUILT_IN) venvs.shareOwn(server);
    const headPort = await freePort(); // an occupied one would not be reported
    const settings = [
      `++uv_cache_dir=${uvCache}`,
      `++uv_venv_dir=${venvs.folder}`,
      '++skip_venv_if_present=true',
      `++head_server.port=${headPort}`,
      `++ray_head_node_address=${inject('ray')}`,
    ];
    return new NemoGym(gymRoot, work, join(home, 'bin', 'gym'), env, settings, venvs, headPort);
  }

  /** Runs one command to its end. Returns its output, or throws it if the command fails. */
  async run(...args: string[]): Promise<string> {
    const options = {
      cwd: this.work,
      env: this.env,
      extendEnv: false,
      all: true,
      stdin: 'ignore',
      reject: false,
    } as const;
    const { exitCode, all } = await execa(this.command, args, options);
    if (exitCode !== 0) throw new Error(`gym ${args.join(' ')}\nended with ${exitCode}:\n${all.slice(-20_000)}`);
    return all;
  }

  /**
   * Runs a command of a written README in the Gym root, with another model server than vLLM's.
   * @param command `.venv/bin/gym …`, in lines that a shell joins
   */
  async runAsWritten(command: string, model: ModelServer): Promise<void> {
    const names: Record<string, string> = {
      vllm_model: 'openai_model',
      MODEL: 'policy',
      'http://127.0.0.1:8001/v1': model.url,
    };
    const words = command.replaceAll('\\\n', ' ').trim().split(/\s+/);
    const args = words.slice(1).map((word) => names[word] ?? word);
    const { NEMO_GYM_EXTRA_ROOTS: _, ...env } = this.env;
    const all = [...args, ...this.settings];
    await execa(this.command, all, { cwd: this.gymRoot, env, extendEnv: false, all: true, stdin: 'ignore' });
  }

  /** Runs `gym env test` for a written server. Returns its output. */
  async test(name: string): Promise<string> {
    return (await this.madeVenv(name)) ?? this.runTests(name);
  }

  private runTests(name: string): Promise<string> {
    return this.run('env', 'test', '--resources-server', name, ...this.settings);
  }

  /**
   * Lets NeMo Gym create the venv of a written server if it is missing. Returns the output of the server's tests in
   * that case.
   */
  private madeVenv(name: string): Promise<string | undefined> {
    return this.venvs.share(folderOf(this.gymRoot, name), () => this.runTests(name));
  }

  /** Runs `gym env start` for written servers, and waits until all of them are ready. @param more further arguments */
  async start(names: string[], model: ModelServer, ...more: string[]): Promise<void> {
    const configs = names.flatMap((name) => ['--config', this.config(name)]);
    const policy = [
      '--model-type',
      'openai_model',
      '--model',
      'policy',
      '--model-url',
      model.url,
      '--model-api-key',
      'k',
    ];
    await this.startWith(names, [...configs, ...policy, ...more]);
  }

  /**
   * `gym env start` with any arguments.
   * @param names of the written servers that it starts
   * @param agents implementations of agents that need no more than NeMo Gym has
   */
  async startWith(names: string[], more: string[], agents: string[] = []): Promise<void> {
    const args = ['env', 'start', ...more, ...this.settings];
    for (const name of names) await this.madeVenv(name);
    for (const agent of agents) this.venvs.shareOwn(`responses_api_agents/${agent}`);
    this.started = new Background(this.command, args, { cwd: this.work, env: this.env });
    await this.started.ready((line) => /All (\d+) \/ \1 servers ready/.exec(line) ?? undefined, 300_000);
  }

  /** Runs `gym eval run` with a file of rows on the running servers. Each row goes to the agent that it names. */
  async play(rows: string, ...args: string[]): Promise<Rollout[]> {
    const output = join(mkdtempSync(join(this.work, 'rollouts-')), 'rollouts.jsonl');
    await this.run('eval', 'run', '--no-serve', '--input', rows, '--output', output, ...args, ...this.settings);
    return readJsonLines<Rollout>(output);
  }

  /**
   * Runs `gym dataset collate` for a written server, which may be in another root. Returns the resulting rows, by type.
   */
  async collate(gymRoot: string, name: string): Promise<Record<'train' | 'validation', object[]>> {
    const output = mkdtempSync(join(this.work, 'collated-'));
    const mode = ['--mode', 'train_preparation', '--output-dir', output];
    const config = ['--config', this.config(name, gymRoot), '--search-dir', gymRoot];
    await this.run('dataset', 'collate', ...config, ...mode, '++task_data_validation=error');
    const rows = (type: string) => readJsonLines<object>(join(output, `${type}.jsonl`));
    return { train: rows('train'), validation: rows('validation') };
  }

  config(name: string, gymRoot = this.gymRoot): string {
    return join(folderOf(gymRoot, name), 'configs', `${name}.yaml`);
  }

  /** Ends the servers as Ctrl-C does, and kills the remaining processes: Gym's children are in their own groups. */
  async stop(): Promise<void> {
    await this.started?.stop('SIGINT', 20_000);
    killWith(`GYMGEN_GYM_RUN=${this.work}`);
    rmSync(this.work, { recursive: true, force: true });
  }
}

export function readJsonLines<T>(file: string): T[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

export function writeJsonLines(file: string, values: object[]): void {
  writeFileSync(file, values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}
