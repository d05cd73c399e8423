import { join } from 'node:path';
import { UserError } from '../errors.js';
import type { SetupReporter } from '../reporter.js';
import { abortion } from '../shutdown.js';
import type { Log } from './log.js';
import { freePorts } from './ports.js';
import { Program } from './program.js';

export interface Ray {
  /** `HOST:PORT`, as NeMo Gym's `ray_head_node_address` takes it. */
  address: string;
  /** Rejects when Ray ends by itself. */
  ended: Promise<never>;
  stop(): Promise<void>;
}

export interface RayOptions {
  /** The program `ray`. */
  program: string;
  /** Absolute path of a folder for Ray's files. Its length is limited by that of Ray's sockets. */
  folder: string;
  env: NodeJS.ProcessEnv;
  log: Log;
  reporter: SetupReporter;
  signal: AbortSignal;
}

/**
 * Ray's raylet gives its agents 15 seconds to start, which cannot be changed, so on a busy machine it may fail once.
 * @see https://github.com/ray-project/ray/issues/65983
 */
const TRIES = 3;
const STOP_MS = 5000;

/**
 * Starts Ray, which NeMo Gym needs, and tries again if that fails.
 * @throws UserError with the last lines of its output
 */
export async function startRay(options: RayOptions): Promise<Ray> {
  options.reporter.progress({ phase: 'start', what: 'Ray' });
  for (let tries = 1; ; tries += 1) {
    const ray = await tryRay(options, tries);
    if (ray) return ray;
    if (tries === TRIES) {
      throw new UserError(`Ray failed to start ${TRIES} times`, {
        where: options.log.file,
        details: options.log.reasons(),
        fix: 'try again when the machine is less busy: Ray allows its processes 15 seconds to start',
      });
    }
    options.reporter.note?.(
      `Ray failed to start, maybe because the machine is busy; trying again (${tries + 1} of ${TRIES})`,
    );
  }
}

/** @returns undefined if Ray ended before it was ready */
async function tryRay({ program, folder, env, log, signal }: RayOptions, tries: number): Promise<Ray | undefined> {
  const [port, clients, dashboard] = await freePorts(3);
  const args = [
    ...['start', '--head', '--block', `--port=${port}`, `--temp-dir=${join(folder, String(tries))}`],
    ...['--node-ip-address=127.0.0.1', '--include-dashboard=false', '--include-log-monitor=false'],
    // These would be the same ports in each run, or be in the range of Gym's servers.
    ...[`--ray-client-server-port=${clients}`, `--dashboard-port=${dashboard}`, '--dashboard-agent-listen-port=0'],
    ...['--min-worker-port=0', '--max-worker-port=0', '--disable-usage-stats', '--log-color=false'],
  ];
  let started = () => {};
  const ready = new Promise<true>((resolve) => {
    started = () => resolve(true);
  });
  const line = (text: string) => {
    if (text.includes('Ray runtime started')) started();
  };
  const ray = new Program(program, args, { cwd: folder, env, log, line });
  const stop = () => ray.stop('SIGTERM', STOP_MS);
  const { aborted, release } = abortion(signal);
  try {
    if (!(await Promise.race([ready, aborted, ray.ended.then(() => false)]))) {
      await stop();
      return undefined;
    }
  } catch (error) {
    await stop();
    throw error;
  } finally {
    release();
  }
  const ended = ray.ended.then((): never => {
    throw new UserError('Ray ended during the run', { where: log.file, details: log.reasons() });
  });
  ended.catch(() => {});
  return { address: `127.0.0.1:${port}`, ended, stop };
}
