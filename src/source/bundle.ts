import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '../errors.js';
import { MAX_CONCURRENT_ENVS } from '../settings.js';
import { homeFolder } from './cache.js';
import { frameworkPython } from './framework.js';
import { serve } from './serve.js';
import type { Source, SourceContext } from './types.js';

/** The absolute path of a bundle's folder, or the name of a bundle that is installed with a Python package. */
export type BundleName = { folder: string } | { name: string };

export interface BundleOptions {
  /** The step whose score is the reward. */
  reward?: string;
  /** The sandbox provider that environments are deployed on. */
  sandbox?: string;
  maxConcurrentEnvs?: number;
  /** A Python that has AgentEnv. */
  python?: string;
  /** Write the folder's absolute path to the config, even if both are in one git repository. */
  absolute?: boolean;
}

const PROGRAM = fileURLToPath(new URL('../../templates/server/bundle_child/serve_bundle.py', import.meta.url));

/** Serves an AgentEnv bundle with AgentEnv's own OpenEnv server, until gymgen ends. */
export async function openBundle(
  bundle: BundleName,
  options: BundleOptions,
  { reporter, signal }: SourceContext,
): Promise<Source> {
  const shown = 'folder' in bundle ? path.basename(bundle.folder) : bundle.name;
  const python = await frameworkPython(options.python, reporter, signal);
  reporter.progress({ phase: 'start', what: `AgentEnv with the bundle ${shown}` });
  const { reward, sandbox, maxConcurrentEnvs = MAX_CONCURRENT_ENVS } = options;
  const server = await serve(
    python,
    [
      PROGRAM,
      'folder' in bundle ? bundle.folder : bundle.name,
      `--max-concurrent-envs=${maxConcurrentEnvs}`,
      ...(reward === undefined ? [] : [`--reward=${reward}`]),
      ...(sandbox === undefined ? [] : [`--sandbox=${sandbox}`]),
    ],
    {
      // AgentEnv searches its working directory and the folders above it for settings, and these can name code.
      cwd: 'folder' in bundle ? bundle.folder : trustedFolder(),
      name: `the bundle ${shown}`,
      reporter,
      signal,
      token: true,
      refused: (reason) => rejected(shown, reason),
    },
  );
  const framework = String(server.announcement.framework);
  return {
    url: server.url,
    headers: server.headers,
    server: async (configFolder, current) => ({
      bundle:
        'folder' in bundle ? await bundleReference(bundle.folder, configFolder, { ...options, current }) : bundle.name,
      framework,
      ...(sandbox === undefined ? {} : { sandbox }),
    }),
    close: server.close,
  };
}

/** A folder whose settings belong to the user. Settings in the current folder may come from someone else. */
function trustedFolder(): string {
  const home = homeFolder();
  return existsSync(home) ? home : path.resolve('/');
}

function rejected(bundle: string, reason: string): UserError {
  return new UserError(`AgentEnv rejected the bundle ${bundle}; nothing was written`, {
    details: reason.trim().split('\n'),
    fix: reason.includes('reward=') ? 'choose the step whose score is the reward: --reward STEP' : 'correct the bundle',
  });
}

/**
 * How a config names a bundle's folder. If both are in one git repository, the path is relative to the config's own
 * folder, so that the repository can be moved. Otherwise, it is absolute. A relative path that
 * already leads there is kept: without `.git`, as in an archive, the repository is unknown.
 * @param configFolder absolute path; need not exist
 * @param options `current`: how the existing config names its bundle
 */
export async function bundleReference(
  folder: string,
  configFolder: string,
  { absolute = false, current }: { absolute?: boolean; current?: string | undefined } = {},
): Promise<string> {
  // The written server resolves symlinks first, so `..` must be relative to real paths here as well.
  const [bundle, config] = await Promise.all([realPath(folder), realPath(configFolder)]);
  if (!absolute && current?.startsWith('.') && (await realPath(path.resolve(config, current))) === bundle)
    return current;
  const repository = await repositoryOf(bundle);
  if (absolute || repository === null || repository !== (await repositoryOf(config))) return bundle;
  const relative = path.relative(config, bundle).split(path.sep).join('/');
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/**
 * Whether a folder is in the git repository that a file is in, by their real paths.
 * @returns false if the file is not in a repository
 */
export async function inRepositoryOf(file: string, folder: string): Promise<boolean> {
  const [from, to] = await Promise.all([realPath(path.resolve(file)), realPath(path.resolve(folder))]);
  const repository = await repositoryOf(path.dirname(from));
  if (repository === null) return false;
  const below = path.relative(repository, to);
  return below.split(path.sep)[0] !== '..' && !path.isAbsolute(below);
}

/** An absolute path with symlinks resolved in the part of it that exists. */
export async function realPath(file: string): Promise<string> {
  const parent = path.dirname(file);
  return await realpath(file).catch(async () =>
    parent === file ? file : path.join(await realPath(parent), path.basename(file)),
  );
}

/** The nearest folder upwards with a `.git`, which is a file in a worktree. */
async function repositoryOf(folder: string): Promise<string | null> {
  const found = await stat(path.join(folder, '.git')).catch(() => null);
  if (found) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? null : await repositoryOf(parent);
}
