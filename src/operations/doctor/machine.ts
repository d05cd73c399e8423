import { once } from 'node:events';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { which } from '../../files.js';
import { freePorts } from '../../play/index.js';
import { cacheFolder } from '../../source/index.js';
import { type Check, firstLineOf } from './programs.js';

const GB = 1e9;
/** NeMo Gym's uv cache and venvs take 2.8 GB in the current folder. gymgen's own environments take 1.8 GB in its cache. */
const NEEDED_GB = 3;

/** NeMo Gym creates venvs and uv's cache in the current folder; gymgen installs in its cache. */
export async function diskCheck(): Promise<Check> {
  const folders = await Promise.all([process.cwd(), cacheFolder()].map(freeSpace));
  const [least] = folders.sort((a, b) => a.free - b.free) as [Space, Space];
  const amount = `${(least.free / GB).toFixed(1)} GB in ${least.folder}`;
  const isEnough = least.free >= NEEDED_GB * GB;
  return {
    name: `${NEEDED_GB} GB of free disk space`,
    use: 'NeMo Gym creates the venvs of its servers in the current folder; gymgen installs in its cache',
    found: isEnough ? amount : null,
    ...(isEnough ? {} : { problem: amount }),
    fix: 'free some space, or run gym in another folder; gymgen installs in $XDG_CACHE_HOME/gymgen',
    needed: true,
  };
}

interface Space {
  folder: string;
  /** In bytes. */
  free: number;
}

/** Free space for this user in a folder, or in the first folder above it that exists and can be read. */
async function freeSpace(folder: string): Promise<Space> {
  const space = await statfs(folder).catch(() => undefined);
  if (space) return { folder, free: space.bavail * space.bsize };
  return dirname(folder) === folder ? { folder, free: 0 } : freeSpace(dirname(folder));
}

/**
 * NeMo Gym does not report that its port is in use: `gym` commands then talk to another server.
 * @param port of the head server. The other servers take free ports from 10001 to 20000.
 */
export async function headPortCheck(port: number): Promise<Check> {
  const isFree = await canListen(port);
  const [other] = await freePorts(1);
  return {
    name: `Port ${port}`,
    use: "NeMo Gym's head server",
    found: isFree ? 'free' : 'in use',
    fix: `end the program on it, or add ++head_server.port=${other} to each gym command`,
    needed: true,
    ...(isFree ? {} : { warning: 'by gym or another program' }),
  };
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

export async function dockerCheck(signal: AbortSignal): Promise<Check> {
  const docker = await which('docker');
  const daemon = docker && (await firstLineOf(docker, ['info', '--format', '{{.ServerVersion}}'], { signal }));
  return {
    name: 'Docker',
    use: 'runs the containers of bundles that need Docker',
    found: daemon ? `${daemon}, ${docker}` : null,
    ...(docker && !daemon ? { problem: `${docker} cannot reach the Docker daemon` } : {}),
    fix: docker ? 'start Docker' : 'https://docs.docker.com/engine/install/',
    needed: false,
  };
}
