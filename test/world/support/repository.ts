import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectPython } from '../../../src/source/project-python.js';
import { project, type Server } from '../../e2e/support/servers.js';

/** The checkout that is played; scripts/test-world.mjs refuses to run without one. */
const REPOSITORY = process.env.OPENENV_REPO ?? '';

export const folderIn = (environment: string) => join(REPOSITORY, 'envs', environment);

/** Whether it has what gymgen takes as a project; some of the repository's don't, and are given by their URL. */
export const isProject = (environment: string) => existsSync(join(folderIn(environment), 'openenv.yaml'));

/** Serves an environment as it is: its own app, with what it says it needs and nothing else. */
export async function served(environment: string, env: Record<string, string> = {}): Promise<Server> {
  const folder = folderIn(environment);
  const python = await projectPython(folder, (text) => console.error(text), new AbortController().signal);
  const { app = 'server.app:app' } = isProject(environment)
    ? parse(await readFile(join(folder, 'openenv.yaml'), 'utf8'))
    : {};
  return project(folder, app, { command: python, env });
}
