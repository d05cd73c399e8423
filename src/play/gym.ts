import { delimiter } from 'node:path';
import { UserError } from '../errors.js';
import type { Reporter } from '../reporter.js';
import { abortion } from '../shutdown.js';
import type { GymPython } from './gym-python.js';
import type { Log } from './log.js';
import { Program } from './program.js';

export interface GymOptions {
  gym: GymPython;
  /** The folder with the `env.yaml`. */
  folder: string;
  env: NodeJS.ProcessEnv;
  log: Log;
  reporter: Pick<Reporter, 'progress'>;
  signal: AbortSignal;
}

export interface GymServers {
  /** Rejects when `gym env start` ends by itself, for example because a server has ended. */
  ended: Promise<never>;
  stop(): Promise<void>;
}

/** Gym kills a server a second after SIGINT, one after the other. */
const STOP_MS = 15_000;

/**
 * The environment variables of NeMo Gym's processes: those of this process, except the ones that select other code or
 * configs.
 * @param programs folder of the programs `gym` and `ray`
 */
export function gymEnvironment(programs: string, more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { NEMO_GYM_EXTRA_ROOTS, NEMO_GYM_CONFIG_DICT, NEMO_GYM_CONFIG_PATH, RAY_ADDRESS, ...env } = process.env;
  return {
    ...env,
    PATH: [programs, ...(env.PATH ? [env.PATH] : [])].join(delimiter),
    PYTHONUNBUFFERED: '1',
    // The packages are compiled already, and the Gym root must not change. With a prefix, Python looks for bytecode
    // only there.
    ...(env.PYTHONPYCACHEPREFIX === undefined ? { PYTHONDONTWRITEBYTECODE: '1' } : {}),
    RAY_USAGE_STATS_ENABLED: '0',
    ...more,
  };
}

/**
 * Runs `gym env start` until all servers are ready.
 * @throws UserError with the reasons from its output
 */
export async function startServers(options: GymOptions): Promise<GymServers> {
  const { log, reporter, signal } = options;
  let ready = () => {};
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const starting = (ready: { done?: number; total?: number }) =>
    reporter.progress({ phase: 'start', what: "NeMo Gym's servers", ...ready });
  starting({});
  const program = start(options, ['env', 'start'], (line) => {
    const [, all, count, total] = /^(All )?(\d{1,6}) \/ (\d{1,6}) servers ready/.exec(line) ?? [];
    if (count !== undefined) starting({ done: Number(count), total: Number(total) });
    if (all !== undefined) ready();
  });
  const ended = program.ended.then((): never => {
    throw new UserError('NeMo Gym could not run the servers', {
      where: log.file,
      details: log.reasons(),
      fix: 'read the log, which has the output of the servers',
    });
  });
  ended.catch(() => {});
  const stop = () => program.stop('SIGINT', STOP_MS);
  const { aborted, release } = abortion(signal);
  try {
    await Promise.race([isReady, ended, aborted]);
    return { ended, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    release();
  }
}

/**
 * Runs `gym eval run` to its end.
 * @param others rejects when something that the rollouts need has ended
 * @throws UserError with the reasons from its output
 */
export async function runRollouts(options: GymOptions, others: readonly Promise<never>[]): Promise<void> {
  const { log, reporter, signal } = options;
  const program = start(options, ['eval', 'run', '--no-serve'], (line) => {
    const [, count, total] = /^Finished (\d{1,9}) \/ (\d{1,9}) rollouts/.exec(line) ?? [];
    if (count !== undefined) reporter.progress({ phase: 'play', done: Number(count), total: Number(total) });
  });
  const { aborted, release } = abortion(signal);
  try {
    const { code } = await Promise.race([program.ended, ...others, aborted]);
    if (code === 0) return;
    throw new UserError('NeMo Gym could not run the rollouts', {
      where: log.file,
      details: log.reasons(),
      fix: 'read the log, which has the output of NeMo Gym and the servers',
    });
  } finally {
    release();
    await program.stop('SIGKILL', 0);
  }
}

function start({ gym, folder, env, log }: GymOptions, args: readonly string[], line: (text: string) => void): Program {
  return new Program(`${gym.programs}/gym`, args, { cwd: folder, env, log, line });
}
