import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '../errors.js';
import { MAX_CONCURRENT_ENVS } from '../gym/index.js';
import { bundleReference } from './bundle-reference.js';
import { homeFolder } from './cache.js';
import { frameworkPython } from './framework.js';
import { serve } from './served.js';
import type { Source, SourceContext } from './types.js';

/** Absolute path of its folder, or the name of one that is installed with a Python package. */
export type BundleName = { folder: string } | { name: string };

export interface BundleOptions {
  /** The step whose score is the reward. */
  reward?: string;
  /** The sandbox provider that environments are deployed on. */
  sandbox?: string;
  maxConcurrentEnvs?: number;
  /** A Python that has AgentEnv. */
  python?: string;
  /** The config says the folder's absolute path, whatever repository it is in. */
  absolute?: boolean;
}

const PROGRAM = fileURLToPath(new URL('../../templates/server/bundle_child/serve_bundle.py', import.meta.url));

/** Serves an AgentEnv bundle with AgentEnv's own OpenEnv server while gymgen runs. */
export async function openBundle(
  bundle: BundleName,
  options: BundleOptions,
  { reporter, signal }: SourceContext,
): Promise<Source> {
  const shown = 'folder' in bundle ? path.basename(bundle.folder) : bundle.name;
  const python = await frameworkPython(options.python, (text) => reporter.note?.(text), signal);
  reporter.note?.(`serving the bundle ${shown} with AgentEnv, which takes some seconds to import`);
  const { reward, sandbox, maxConcurrentEnvs = MAX_CONCURRENT_ENVS } = options;
  const served = await serve(
    python,
    [
      PROGRAM,
      'folder' in bundle ? bundle.folder : bundle.name,
      `--max-concurrent-envs=${maxConcurrentEnvs}`,
      ...(reward === undefined ? [] : [`--reward=${reward}`]),
      ...(sandbox === undefined ? [] : [`--sandbox=${sandbox}`]),
    ],
    {
      // AgentEnv looks for its settings from here upwards, which can name code: never from the current folder.
      cwd: 'folder' in bundle ? bundle.folder : settingsFolder(),
      what: `the bundle ${shown}`,
      reporter,
      signal,
      token: true,
      refused: (why) => refusal(shown, why),
    },
  );
  const framework = String(served.said.framework);
  return {
    url: served.url,
    headers: served.headers,
    server: async (configFolder) => ({
      bundle: 'folder' in bundle ? await bundleReference(bundle.folder, configFolder, options) : bundle.name,
      framework,
      ...(sandbox === undefined ? {} : { sandbox }),
    }),
    close: served.close,
  };
}

/** Where an installed bundle is served: the user's own settings are in the home folder. */
function settingsFolder(): string {
  const home = homeFolder();
  return existsSync(home) ? home : path.resolve('/');
}

/** AgentEnv's own words, a line each. */
function refusal(bundle: string, why: string): UserError {
  return new UserError(`AgentEnv refuses the bundle ${bundle}; nothing was written`, {
    details: why.trim().split('\n'),
    ...(why.includes('reward=') ? { fix: "say which step's score is the reward: --reward STEP" } : {}),
  });
}
