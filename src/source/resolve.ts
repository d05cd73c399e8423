import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { withoutCredentials } from '../credentials.js';
import { UserError } from '../errors.js';
import { type BundleName, type BundleOptions, openBundle } from './bundle.js';
import type { NamedSource } from './types.js';

/** A folder with at least one of these is a bundle: they are AgentEnv's kinds of entities. */
const BUNDLE_FOLDERS = ['envs', 'agents', 'artifacts', 'skills', 'tasks', 'evals'];
export const HOST_AND_PORT = /^[\w.-]+:\d+(\/|$)/;
/** The name of an installed bundle, such as `hello` or `owner/hello`. */
export const BUNDLE_NAME = /^[A-Za-z0-9][\w.-]*(?:\/\w[\w.-]*)?$/;
const SPACE = /^hf:([^/\s]+)\/([^/\s]+)$/i;
const SPACE_PAGE = /^https?:\/\/(?:www\.)?(?:huggingface\.co|hf\.co)\/spaces\/([^/?#\s]+)\/([^/?#\s]+)/i;
const SUPPORTED = 'pass the URL of an OpenEnv server, an AgentEnv bundle, an OpenEnv project, or hf:OWNER/NAME';

/**
 * Recognizes a source without opening it. In order: a URL or a Space, an existing path, the name of an installed bundle.
 * @throws UserError if it is none of these, or if an option does not apply to it
 */
export async function resolveSource(text: string, options: BundleOptions = {}): Promise<NamedSource> {
  const source = await recognize(text, options);
  const { reward: _, ...bundleOnly } = options;
  const [option] = Object.keys(bundleOnly);
  if (source.kind === 'bundle' || option === undefined) return source;
  const flag = `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UserError(`${flag} works only with an AgentEnv bundle`, {
    where: withoutCredentials(text),
    fix: `remove ${flag}`,
  });
}

/**
 * The code that gymgen would run to serve a source.
 * @returns the real path of a bundle's or project's folder, or `installed:NAME`; undefined for a URL or a Space, whose
 *   server already runs
 * @throws UserError if the text names no source
 */
export async function codeOf(source: string): Promise<string | undefined> {
  const { kind } = await resolveSource(source);
  if (kind === 'url' || kind === 'space') return undefined;
  return realpath(source).catch(() => `installed:${source}`);
}

/** Whether a text that was passed as the Gym root looks like a source, so that the arguments were probably swapped. */
export async function looksLikeSource(text: string): Promise<boolean> {
  if (text.includes('://') || HOST_AND_PORT.test(text) || spaceUrl(text) !== null) return true;
  return ['project', 'bundle', 'file'].includes((await kindOfPath(text)) ?? '');
}

async function recognize(text: string, options: BundleOptions): Promise<NamedSource> {
  const space = spaceUrl(text);
  if (space !== null) return spaceSource(space);
  if (text.includes('://')) return urlSource(text);
  const kind = await kindOfPath(text);
  if (kind === 'project') return projectSource(path.resolve(text));
  if (kind === 'bundle') return bundleSource({ folder: path.resolve(text) }, options);
  if (kind === null && BUNDLE_NAME.test(text)) return bundleSource({ name: text }, options);
  throw unsupported(text, kind);
}

function unsupported(text: string, kind: 'folder' | 'file' | null): UserError {
  const shown = withoutCredentials(text);
  if (kind === 'file') return new UserError(`unsupported source: ${shown} is a file`, { fix: SUPPORTED });
  if (kind === 'folder') {
    return new UserError(`${shown} is neither an OpenEnv project nor an AgentEnv bundle`, {
      details: [
        'an OpenEnv project has an openenv.yaml',
        `an AgentEnv bundle has at least one of ${BUNDLE_FOLDERS.map((name) => `${name}/`).join(', ')}`,
      ],
      fix: SUPPORTED,
    });
  }
  if (text.toLowerCase().startsWith('hf:')) return new UserError(`not a Space: ${shown}`, { fix: 'use hf:OWNER/NAME' });
  if (HOST_AND_PORT.test(text)) return new UserError(`not a URL: ${text}`, { fix: `add the scheme: http://${text}` });
  return new UserError(`source not found: ${shown}`, { fix: SUPPORTED });
}

/** The URL of a Hugging Face Space's app, from `hf:owner/name` or its page; null if the text names no Space. */
function spaceUrl(text: string): string | null {
  const [, owner, name] = SPACE.exec(text) ?? SPACE_PAGE.exec(text) ?? [];
  if (owner === undefined || name === undefined) return null;
  return `https://${`${owner}-${name}`.toLowerCase().replace(/[^a-z0-9]/g, '-')}.hf.space`;
}

function spaceSource(url: string): NamedSource {
  return {
    kind: 'space',
    open: async ({ reporter }) => {
      reporter.note?.(`using the Space at ${url}; a private one needs --header-env 'Authorization=Bearer $HF_TOKEN'`);
      return { url, close: async () => {} };
    },
  };
}

function urlSource(url: string): NamedSource {
  return { kind: 'url', open: async () => ({ url, close: async () => {} }) };
}

/** project.ts loads a YAML parser, which other sources do not need. */
function projectSource(folder: string): NamedSource {
  return { kind: 'project', open: async (context) => (await import('./project.js')).openProject(folder, context) };
}

function bundleSource(bundle: BundleName, options: BundleOptions): NamedSource {
  return { kind: 'bundle', open: (context) => openBundle(bundle, options, context) };
}

async function kindOfPath(text: string): Promise<'project' | 'bundle' | 'folder' | 'file' | null> {
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
