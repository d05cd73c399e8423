import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectPython } from '../../../src/source/project-python.js';
import { project, type Server } from '../../e2e/support/servers.js';

/** A checkout of OpenEnv; scripts/test-world.mjs requires one. */
const REPOSITORY = process.env.OPENENV_REPO ?? '';

export const folderIn = (environment: string) => join(REPOSITORY, 'envs', environment);

/** Whether gymgen recognizes the folder as a project; other environments are served, and passed by URL. */
export const isProject = (environment: string) => existsSync(join(folderIn(environment), 'openenv.yaml'));

/** Serves an environment's own app, with exactly the dependencies that it declares. */
export async function served(environment: string, env: Record<string, string> = {}): Promise<Server> {
  const folder = folderIn(environment);
  const python = await projectPython(
    folder,
    { note: (text) => console.error(text), progress: () => {} },
    new AbortController().signal,
  );
  const { app = 'server.app:app' } = isProject(environment)
    ? parse(await readFile(join(folder, 'openenv.yaml'), 'utf8'))
    : {};
  return project(folder, app, { command: python, env });
}
