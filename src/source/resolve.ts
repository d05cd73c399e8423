import { stat } from 'node:fs/promises';
import path from 'node:path';
import { withoutCredentials } from '../credentials.js';
import { UserError } from '../errors.js';
import type { BundleName, BundleOptions } from './bundle.js';
import { spaceSource, spaceUrl } from './space.js';
import type { NamedSource } from './types.js';
import { urlSource } from './url.js';

/** What makes a folder a bundle (AgentEnv's kinds of entities), one of them at least. */
const BUNDLE_FOLDERS = ['envs', 'agents', 'artifacts', 'skills', 'tasks', 'evals'];
export const HOST_AND_PORT = /^[\w.-]+:\d+(\/|$)/;
const INSTALLED = /^[A-Za-z0-9][\w.-]*(?:\/[\w.-]+)?$/;
const TAKEN = 'give the URL of an OpenEnv server, an AgentEnv bundle, an OpenEnv project, or hf:OWNER/NAME';

/**
 * Recognises what the user named, without starting it: a URL or a Space, else a path that is there, else the name of an
 * installed bundle.
 * @throws UserError where it is none of them
 */
export async function resolveSource(text: string, options: BundleOptions = {}): Promise<NamedSource> {
  const source = await recognise(text, options);
  const { reward: _, ...forBundles } = options;
  const [given] = Object.keys(forBundles);
  if (source.kind === 'bundle' || given === undefined) return source;
  const flag = `--${given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const shown = withoutCredentials(text);
  throw new UserError(`${flag} is for an AgentEnv bundle, which ${shown} is not`, { fix: `leave ${flag} out` });
}

async function recognise(text: string, options: BundleOptions): Promise<NamedSource> {
  const space = spaceUrl(text);
  if (space !== null) return spaceSource(space);
  if (text.includes('://')) return urlSource(text);
  const shown = withoutCredentials(text);
  const kind = await kindOf(text);
  if (kind === 'project') return projectSource(path.resolve(text));
  if (kind === 'bundle') return bundleSource({ folder: path.resolve(text) }, options);
  if (kind === 'file') throw new UserError(`${shown} is a file`, { fix: TAKEN });
  if (kind === 'folder') {
    throw new UserError(`${shown} is no OpenEnv project (it has no openenv.yaml) and no AgentEnv bundle`, {
      details: [`a bundle has one of ${BUNDLE_FOLDERS.map((name) => `${name}/`).join(', ')}`],
      fix: TAKEN,
    });
  }
  if (text.toLowerCase().startsWith('hf:'))
    throw new UserError(`not a Space: ${shown}`, { fix: 'write hf:OWNER/NAME' });
  if (HOST_AND_PORT.test(text)) {
    throw new UserError(`not a URL: ${text}`, { fix: `write it with its scheme: http://${text}` });
  }
  if (!INSTALLED.test(text)) throw new UserError(`there is no ${shown}`, { fix: TAKEN });
  return bundleSource({ name: text }, options);
}

/** What starts a server is loaded when one is to be started. */
function projectSource(folder: string): NamedSource {
  return { kind: 'project', open: async (context) => (await import('./project.js')).openProject(folder, context) };
}

function bundleSource(bundle: BundleName, options: BundleOptions): NamedSource {
  return {
    kind: 'bundle',
    open: async (context) => (await import('./bundle.js')).openBundle(bundle, options, context),
  };
}

/** Whether the arguments are likely to be the wrong way round: the Gym root is what a source looks like. */
export async function looksLikeSource(text: string): Promise<boolean> {
  if (text.includes('://') || HOST_AND_PORT.test(text) || spaceUrl(text) !== null) return true;
  return ['project', 'bundle', 'file'].includes((await kindOf(text)) ?? '');
}

async function kindOf(text: string): Promise<'project' | 'bundle' | 'folder' | 'file' | null> {
  const found = await stat(text).catch(() => null);
  if (found === null) return null;
  if (!found.isDirectory()) return 'file';
  if (await exists(path.join(text, 'openenv.yaml'))) return 'project';
  const parts = await Promise.all(BUNDLE_FOLDERS.map((name) => exists(path.join(text, name))));
  return parts.includes(true) ? 'bundle' : 'folder';
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
