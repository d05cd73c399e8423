import { z } from 'zod';
import { UserError } from '../errors.js';
import { HttpStatusError, NoTaskApi } from '../openenv/index.js';
import type { Connection } from './connection.js';

const Metadata = z.object({ name: z.string().min(1) });

/** What the server calls its environment, and whether it lists tasks of it, which it needn't. */
export async function environmentName(connection: Connection): Promise<{ name: string; hasTasks: boolean }> {
  const { api, http, server } = connection;
  const [name] = (await unlessMissing(api.environments())) ?? [];
  if (name !== undefined) return { name, hasTasks: ((await unlessMissing(api.splits(name))) ?? []).length > 0 };
  // Servers of openenv up to 0.3 have no route for it.
  const metadata = Metadata.safeParse((await unlessMissing(http.json('GET', '/metadata')))?.value);
  if (metadata.success) return { name: words(metadata.data.name), hasTasks: false };
  throw new UserError('the server does not say what its environment is called', {
    where: `GET ${server.http}/metadata`,
    fix: 'is it an OpenEnv server?',
  });
}

/** Where nobody gave a name it is that of the environment's class: `MazeEnvironment` is `Maze-Environment`. */
function words(name: string): string {
  if (!/^[A-Z]\w*Env(?:ironment)?$/.test(name)) return name;
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-');
}

async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof NoTaskApi || error instanceof HttpStatusError) return undefined;
    throw error;
  });
}
