import { randomBytes } from 'node:crypto';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plural } from '../display-text.js';
import { namesOf } from '../gym/index.js';
import { LIMITS, overLimit } from '../limits.js';
import type { Reporter } from '../reporter.js';
import { holdExit } from '../shutdown.js';
import type { WrittenFolder } from '../written/index.js';
import { Endings } from './endings.js';
import { findModel, keyIn, type Model, type NamedModel } from './find-model.js';
import { gymEnvironment, runRollouts, startServers } from './gym.js';
import { type PlayedServer, rolloutConfig, serveConfig, startedServers } from './gym-config.js';
import { type GymPython, gymPython, serverPython } from './gym-python.js';
import { linkVenv } from './link-venv.js';
import { Log } from './log.js';
import { type OutputFolder, outputFolder } from './output-folder.js';
import type { Policy } from './policy.js';
import { modelServer } from './policy-server.js';
import { freePorts } from './ports.js';
import { startRay } from './ray.js';
import { type PlayedRows, writeRows } from './rows.js';
import { createRunFolder, type RunFolder, removeLeftovers } from './run-folder.js';
import { maskSecret } from './secret.js';

export interface PlayRequest {
  folders: readonly WrittenFolder[];
  split?: string | undefined;
  /** Maximum number of rows of each server. */
  limit?: number | undefined;
  /** Rollouts of each row. */
  repeats: number;
  /** Rollouts at once. */
  concurrency: number;
  model: NamedModel | { policy: Policy };
  /** A Python that has NeMo Gym. */
  python?: string | undefined;
  /** Folder for the results, new or empty. */
  output?: string | undefined;
}

/** Serves the environment of the written servers, in place of the URLs in their configs. */
export type ServeEnvironment = (signal: AbortSignal) => Promise<ServedEnvironment>;
export interface ServedEnvironment {
  url: string;
  /** Headers that each request needs. */
  headers: Readonly<Record<string, string>>;
  /** Rejects when the server ends by itself. */
  ended: Promise<never>;
  close(): Promise<void>;
}

/** Seconds. */
export interface PlayTimes {
  /** For the Python environments: a few minutes the first time. */
  environment: number;
  /** Until all servers were ready. */
  start: number;
  rollouts: number;
  stop: number;
}

export interface Played {
  servers: PlayedRows[];
  /** Without a policy. */
  model?: Model;
  output: OutputFolder;
  times: PlayTimes;
}

/**
 * Plays rows of written servers with NeMo Gym. This runs their app.py.
 * @param serve starts a server for the written servers, in place of the one that their configs name
 * @throws UserError if the request cannot be fulfilled, or if NeMo Gym fails
 */
export async function play(
  request: PlayRequest,
  serve: ServeEnvironment | undefined,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<Played> {
  const clock = stopwatch();
  const left = await removeLeftovers();
  if (left.processes + left.folders > 0) {
    reporter.note?.(`removed what a killed run left behind: processes ${left.processes}, folders ${left.folders}`);
  }
  const model = 'policy' in request.model ? request.model : await findModel(request.model, signal);
  reporter.note?.('starting NeMo Gym (the first time, a few minutes)');
  const release = holdExit('NeMo Gym and its servers to end');
  const endings = new Endings();
  try {
    const run = endings.add(await createRunFolder(), (folder) => folder.remove());
    const prepared = { run, model, ...(await pythonsFor(request, run, reporter, signal)) };
    const environment = clock();
    const played = await playWith(request, prepared, { serve, reporter, signal, endings, clock });
    reporter.progress({ phase: 'step', what: "stopping NeMo Gym's servers" });
    await endings.run();
    return { ...played, times: { environment, ...played.times, stop: clock() } };
  } finally {
    await endings.run();
    release();
  }
}

interface Prepared {
  run: RunFolder;
  model: Model | { policy: Policy };
  gym: GymPython;
  /** The Python of each written server, by its path: `resources_servers/<name>`. */
  pythons: ReadonlyMap<string, string>;
}

async function pythonsFor(
  { python, folders }: PlayRequest,
  { env, building }: RunFolder,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<Pick<Prepared, 'gym' | 'pythons'>> {
  const gym = await gymPython(python, { env, building }, reporter, signal);
  const pythons = new Map<string, string>();
  for (const { name, folder } of folders) {
    pythons.set(namesOf(name).folder, await serverPython(folder, gym, { env, building }, reporter, signal));
  }
  return { gym, pythons };
}

interface Context {
  serve: ServeEnvironment | undefined;
  reporter: Reporter;
  signal: AbortSignal;
  endings: Endings;
  clock: () => number;
}

async function playWith(
  request: PlayRequest,
  prepared: Prepared,
  context: Context,
): Promise<Omit<Played, 'times'> & { times: Pick<PlayTimes, 'start' | 'rollouts'> }> {
  const { run, model, gym } = prepared;
  const { reporter, signal, endings, clock } = context;
  const { repeats, concurrency, folders } = request;
  for (const folder of ['ray', 'eval', 'serve/resources_servers']) {
    await mkdir(join(run.path, folder), { recursive: true });
  }
  const rows = join(run.path, 'eval/rows.jsonl');
  const servers = await writeRows(request, rows);
  const count = repeats * servers.reduce((sum, each) => sum + each.rows, 0);
  if (count > LIMITS.reportRollouts) {
    throw overLimit('reportRollouts', { where: plural(count, 'rollout'), fix: 'pass a lower --limit or --repeats' });
  }

  const name = folders.map((folder) => folder.name).join('-');
  const key = 'policy' in model || model.keyEnv === undefined ? undefined : keyIn(model.keyEnv);
  const output = endings.add(await outputFolder(request.output, name), async (folder) => {
    if (key !== undefined) await maskSecret(folder.path, key);
    if (signal.aborted) await folder.discard();
  });
  const log = endings.add(new Log(output.log, key), (file) => file.close());
  const { env, headPort, needed } = await startAll(request, prepared, context, log);
  const start = clock();

  reporter.progress({ phase: 'play', done: 0, total: count });
  const settings = { headPort, rows, rollouts: output.rollouts, repeats, concurrency };
  await writeFile(join(run.path, 'eval/env.yaml'), rolloutConfig(settings));
  await runRollouts({ gym, env, log, signal, reporter, folder: join(run.path, 'eval') }, needed);
  return { servers, output, times: { start, rollouts: clock() }, ...('policy' in model ? {} : { model }) };
}

interface Started {
  env: NodeJS.ProcessEnv;
  headPort: number;
  /** Each rejects when something that the rollouts need has ended. */
  needed: Promise<never>[];
}

/** Starts everything that rollouts need: the environment, a policy, Ray, and NeMo Gym's servers. */
async function startAll(
  request: PlayRequest,
  { run, model: named, gym, pythons }: Prepared,
  { serve, reporter, signal, endings }: Context,
  log: Log,
): Promise<Started> {
  const at = (folder: string) => join(run.path, folder);
  const served = await serve?.(signal);
  if (served) endings.add(served, (server) => server.close());
  const model = 'policy' in named ? await policyModel(named.policy, endings) : named;
  const { env, override } = environmentOf(run, gym, served);
  const ray = endings.add(
    await startRay({ program: join(gym.programs, 'ray'), folder: at('ray'), env, log, reporter, signal }),
    (started) => started.stop(),
  );
  const [headPort = 0] = await freePorts(1);
  const servers = await linkServers(request, at('serve'), override);
  for (const server of startedServers(servers, model)) {
    await linkVenv(at('venvs'), server, pythons.get(server) ?? gym.python);
  }
  const settings = { servers, model, ray: ray.address, headPort, venvs: at('venvs') };
  await writeFile(at('serve/env.yaml'), serveConfig(settings));
  const gymServers = endings.add(
    await startServers({ gym, env, log, signal, reporter, folder: at('serve') }),
    (started) => started.stop(),
  );
  return { env, headPort, needed: [gymServers.ended, ray.ended, ...(served ? [served.ended] : [])] };
}

async function policyModel(policy: Policy, endings: Endings): Promise<Model> {
  const { url } = endings.add(await modelServer(policy), (server) => server.stop());
  return { url, model: 'policy', type: 'openai_model' };
}

/** The environment of the run's processes. Secrets are here, and in no file or command line. */
function environmentOf(
  run: RunFolder,
  { programs }: GymPython,
  served: ServedEnvironment | undefined,
): { env: NodeJS.ProcessEnv; override: PlayedServer['override'] } {
  const headers = Object.entries(served?.headers ?? {}).map(([header, value], index) => ({
    header,
    value,
    variable: `GYMGEN_PLAY_HEADER_${index}`,
  }));
  const env = gymEnvironment(programs, {
    ...run.env,
    // Ray listens on all addresses. Without this, it would ask for no token, or keep one in the home folder.
    RAY_AUTH_MODE: 'token',
    RAY_AUTH_TOKEN: randomBytes(32).toString('hex'),
    ...Object.fromEntries(headers.map(({ variable, value }) => [variable, value])),
  });
  const headerVariables = Object.fromEntries(headers.map(({ header, variable }) => [header, variable]));
  return { env, override: served && { url: served.url, headerVariables } };
}

/** Links the written servers for NeMo Gym, but no other server of the Gym root. */
async function linkServers(
  { folders }: PlayRequest,
  serve: string,
  override: PlayedServer['override'],
): Promise<PlayedServer[]> {
  const played: PlayedServer[] = [];
  for (const { name, folder } of folders) {
    const real = await realpath(folder);
    await symlink(real, join(serve, 'resources_servers', name));
    played.push({ name, folder: real, ...(override ? { override } : {}) });
  }
  return played;
}

/** Seconds since the last call. */
function stopwatch(): () => number {
  let last = performance.now();
  return () => {
    const [before, now] = [last, performance.now()];
    last = now;
    return (now - before) / 1000;
  };
}
