import { once } from 'node:events';
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errno, readNoFollow, translateErrors } from '../files.js';
import { cleanOnForcedExit } from '../shutdown.js';
import { isPrivateFolder } from '../state/private-folder.js';
import { killAll, MARK, ownProcesses, processesOf, type RunningProcess } from './processes.js';

const PREFIX = 'gymgen-play-';
const NAME = /^gymgen-play-\w{6}$/;
/** The socket that a run listens on. The system closes the socket when gymgen ends, even if gymgen is killed. */
const ALIVE = 'alive';
/** The file that names a folder of the cache. */
const BUILDING = 'building';
/** The name of such a folder before it is complete. */
const INCOMPLETE = /\/gymgen\/envs\/[a-z]+\/[a-z-]+-[0-9a-f]{16}-\w{6}$/;
/** Paths of Ray's sockets may have up to 107 bytes, of which Ray itself needs 70. */
const LONGEST = 37 - '/gymgen-play-123456'.length;
/** Bytes of a path. */
const LONGEST_PATH = 4096;
/** Times to look for processes that are started while others are being killed, and the wait before each. */
const ROUNDS = 20;
const ROUND_MS = 100;

/** Temporary files of a run: configs, links to venvs, Ray's files. */
export interface RunFolder {
  /** Absolute path, short enough for Ray's sockets. */
  path: string;
  /** Marks the processes of the run. */
  env: Record<string, string>;
  /** Notes a folder of the cache in which an environment is created. If this run is killed, a later one removes it. */
  building(folder: string): Promise<void>;
  /** Ends every process of the run, and removes the folder. */
  remove(): Promise<void>;
}

export async function createRunFolder(): Promise<RunFolder> {
  const [base = '/tmp'] = await bases();
  const { path, alive } = await createFolder(base);
  const release = cleanOnForcedExit(() => removeNow(path));
  const remove = async () => {
    await endProcesses(path);
    alive.close();
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
    release();
  };
  const building = (folder: string) => writeFile(join(path, BUILDING), folder);
  return { path, env: { [MARK]: path }, building, remove };
}

/** Another run may remove the folder while it is still empty. */
async function createFolder(base: string, tries = 3): Promise<{ path: string; alive: Server }> {
  const path = await translateErrors(base, () => mkdtemp(join(base, PREFIX)));
  try {
    return { path, alive: await listen(join(path, ALIVE)) };
  } catch (error) {
    await rmdir(path).catch(() => {});
    if (tries <= 1) throw error;
    return createFolder(base, tries - 1);
  }
}

/** Folders for temporary files, the preferred one first. */
async function bases(): Promise<string[]> {
  const named = await realpath(tmpdir()).catch(() => '/tmp');
  return [...new Set(Buffer.byteLength(named) <= LONGEST ? [named, '/tmp'] : ['/tmp'])];
}

async function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(path), 'listening');
  return server.unref();
}

async function endProcesses(run: string): Promise<number> {
  let count = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = killAll(processesOf(run, await ownProcesses()));
    if (found === 0) break;
    count += found;
    await sleep(ROUND_MS);
  }
  return count;
}

/** Ends the processes and removes the folder without waiting, for a forced exit. */
function removeNow(run: string): void {
  const mark = Buffer.from(`${MARK}=${run}`);
  const marked: RunningProcess[] = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`).includes(mark);
      } catch {
        return false;
      }
    })
    .map((name) => ({ pid: Number(name), group: 0, folder: '' }));
  killAll(marked);
  if (lstatSync(run).isDirectory()) rmSync(run, { recursive: true, force: true });
}

export interface Leftovers {
  processes: number;
  folders: number;
}

/** Cleans up after earlier runs of this user that were killed. Runs in progress are left alone. */
export async function removeLeftovers(): Promise<Leftovers> {
  const all = await ownProcesses();
  const marks = all.flatMap(({ mark }) => mark ?? []);
  const listed = await Promise.all((await bases()).map(foldersIn));
  const removed = { processes: 0, folders: 0 };
  for (const run of new Set([...listed.flat(), ...marks.filter((mark) => NAME.test(basename(mark)))])) {
    const state = await stateOf(run);
    if (state === 'running') continue;
    removed.processes += await endProcesses(run);
    if (state === 'empty') await rmdir(run).catch(() => {}); // a run that is just beginning tries again
    if (state !== 'left') continue;
    await removeIncomplete(run);
    await rm(run, { recursive: true, force: true, maxRetries: 5 }).catch(() => {}); // another run may be removing it, too
    removed.folders += 1;
  }
  return removed;
}

/** Removes the environment that a killed run was creating. */
async function removeIncomplete(run: string): Promise<void> {
  const folder = await readNoFollow(join(run, BUILDING), LONGEST_PATH).catch(() => '');
  const path = folder.toString();
  if (!INCOMPLETE.test(path) || !(await isPrivateFolder(path))) return;
  await rm(path, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
}

async function foldersIn(base: string): Promise<string[]> {
  return (await readdir(base).catch(() => [])).filter((name) => NAME.test(name)).map((name) => join(base, name));
}

/** `none` if there is no such folder, or if it belongs to someone else. */
async function stateOf(run: string): Promise<'running' | 'left' | 'empty' | 'none'> {
  const found = await lstat(run).catch(() => undefined);
  if (!found?.isDirectory() || found.uid !== process.getuid?.()) return 'none';
  if ((await readdir(run).catch(() => [])).length === 0) return 'empty';
  return (await answers(join(run, ALIVE))) ? 'running' : 'left';
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    // Any other error, such as a full queue, means that a process listens.
    return !['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(errno(error) ?? '');
  } finally {
    socket.destroy();
  }
}
