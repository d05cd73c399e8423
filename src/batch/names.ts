import path from 'node:path';
import { withoutCredentials } from '../credentials.js';
import { discoverName, isRecording, openRecording } from '../discover/index.js';
import { UserError } from '../errors.js';
import { slug } from '../gym/index.js';
import { resolveSource } from '../source/index.js';
import type { Job } from './job.js';

const SILENT = { warn: () => {}, progress: () => {} };

/**
 * Refuses a batch of which two sources would write one folder, as far as their names can be told without starting one.
 * @throws UserError naming each two
 */
export async function refuseSameNames(jobs: readonly Job[], signal: AbortSignal): Promise<void> {
  const names = await Promise.all(jobs.map((job) => nameOf(job, signal)));
  const first = new Map<string, Job>();
  const clashes: string[] = [];
  for (const [at, job] of jobs.entries()) {
    const name = names[at];
    if (name === undefined) continue;
    const folder = folderOf(job, name);
    const other = first.get(folder);
    if (other)
      clashes.push(`${name}: ${withoutCredentials(other.request.url)} and ${withoutCredentials(job.request.url)}`);
    else first.set(folder, job);
  }
  if (clashes.length === 0) return;
  throw new UserError('two sources would write one folder; nothing was written', {
    details: clashes,
    fix: 'give one of them another name',
  });
}

/** Where a job of that name writes. */
function folderOf({ request }: Job, name: string): string {
  return `${path.resolve(request.gymRoot)}/${name}`;
}

/** The name that a job will write, or undefined where only running it tells, or will tell why it can't. */
async function nameOf({ request }: Job, signal: AbortSignal): Promise<string | undefined> {
  if (request.name !== undefined) return request.name;
  const { url: source, discover } = request;
  try {
    if (await isRecording(source)) {
      const recording = await openRecording(source, { splits: [], limit: 1, signal }, SILENT);
      await recording.close();
      return slug(recording.envName);
    }
    const named = await resolveSource(source, request.bundle);
    if (named.kind === 'bundle') return slug(path.basename(source));
    if (named.kind === 'project') return undefined;
    const { url } = await named.open({ reporter: SILENT, signal });
    return slug(await discoverName(url, { headers: discover.headers, signal }));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** For names that only running tells: the second job of one is refused before it writes. */
export function claims(): (job: Job, name: string) => void {
  const first = new Map<string, Job>();
  return (job, name) => {
    const folder = folderOf(job, name);
    const other = first.get(folder);
    if (other !== undefined && other !== job) {
      throw new UserError(`another source of the batch writes '${name}': ${withoutCredentials(other.request.url)}`, {
        fix: 'give one of them another name',
      });
    }
    first.set(folder, job);
  };
}
