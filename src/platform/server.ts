import path from 'node:path';
import { UserError } from '../errors.js';
import { readNoFollow } from '../files.js';
import { namesOf } from '../gym/index.js';
import { LIMITS, overLimit } from '../limits.js';
import { LinkGuard } from '../output/index.js';
import type { WrittenFolder } from '../written/index.js';
import { type BundleFolder, bundleFiles, bundleFolder, bundleWheel, hasRows } from './bundle.js';
import { BUNDLE_REFERENCE, type PackagedConfig, packagedConfig } from './config-text.js';
import { networkProblem } from './network.js';
import { requirementsIn } from './requirements.js';
import { serverFiles } from './server-files.js';
import type { Format, OwnWheel, PackagedServer, Target } from './types.js';

export interface ServerOptions {
  format: Format;
  target: Target;
  /** Files that gymgen did not write, by their path in the folder. */
  carry: readonly string[];
  /** Whether the user vouches for the URL. */
  urlIsReachable: boolean;
}

/**
 * Reads a written folder for a package.
 * @throws UserError if a package cannot contain it, or a job could not play it
 */
export async function readServer(folder: WrittenFolder, options: ServerOptions): Promise<PackagedServer> {
  const where = path.join(folder.folder, namesOf(folder.name).config);
  const found = await serverFiles(folder, options.carry);
  const pyproject = path.join(folder.folder, 'pyproject.toml');
  const requirements = requirementsIn(await readText(pyproject, folder.folder), pyproject);
  const original = await readText(where, folder.folder);
  const bundle = await bundleOf(packagedConfig(original, folder.name, undefined, where), where, folder.name, options);
  const { text, settings } = packagedConfig(original, folder.name, bundle?.reference, where);
  const server = {
    name: folder.name,
    folder: folder.folder,
    settings,
    config: text,
    requirements,
    wheels: bundle?.wheel ? [bundle.wheel] : [],
    files: [...found.files, ...(bundle?.files ?? [])],
    leftOut: [...found.leftOut, ...(bundle?.leftOut ?? [])],
    edited: found.edited,
  };
  assertPlayable(server, options, where);
  return { ...server, warnings: [...urlWarnings(server, options), ...bundleWarnings(server, bundle)] };
}

/** A bundle as the package has it: as files beside the server, or in a wheel. */
interface PackagedBundle extends BundleFolder {
  reference: string;
  wheel?: OwnWheel;
}

/** Undefined if the config has no bundle, or one that is installed by its name. */
async function bundleOf(
  { settings }: PackagedConfig,
  where: string,
  server: string,
  { format }: ServerOptions,
): Promise<PackagedBundle | undefined> {
  const at = settings.bundle === undefined ? undefined : bundleFolder(settings.bundle, path.dirname(where));
  if (at === undefined || format === 'adapter-wheels-v1') return undefined;
  const folder = await bundleFiles(at);
  if (!hasRows(folder)) return { ...folder, reference: BUNDLE_REFERENCE };
  if (format === 'native-v1') {
    throw new UserError('NeMo Platform accepts .jsonl files only in wheels', {
      where: at,
      fix: 'use --format wheels-v1',
    });
  }
  const files = folder.files.filter((file) => !file.path.startsWith('bundle/'));
  return { ...folder, files, ...(await bundleWheel(server, at, folder)) };
}

type Server = Omit<PackagedServer, 'warnings'>;

function assertPlayable({ settings }: Server, { format, target, urlIsReachable }: ServerOptions, where: string): void {
  const { url, bundle, headers } = settings;
  if (bundle !== undefined && format === 'adapter-wheels-v1') {
    throw new UserError('adapter-wheels-v1 cannot serve the bundle of this config', {
      where,
      fix: 'use --format wheels-v1',
    });
  }
  if (headers.length > 0 && target === 'grpo') {
    throw new UserError('a GRPO job cannot set variables for headers', {
      where,
      details: headers.map((value) => `headers: ${value}`),
      fix: 'use a server without a token, or --target evals, whose env_secrets reach the server',
    });
  }
  if (url === undefined || urlIsReachable || !networkProblem(url).isBlocked) return;
  throw new UserError(`the url of the config ${networkProblem(url).problem}`, {
    where: `${where}: ${url}`,
    fix: 'write the folder from a bundle, or with a public --config-url; if the sandbox does reach it: --url-is-reachable',
  });
}

function urlWarnings({ settings, name }: Server, { urlIsReachable }: ServerOptions): string[] {
  const { url } = settings;
  if (url === undefined) return [];
  const { isBlocked, problem } = networkProblem(url);
  return urlIsReachable && isBlocked ? [] : [`${name}: the url ${url} ${problem}`];
}

function bundleWarnings({ settings, name }: Server, bundle: BundleFolder | undefined): string[] {
  if (settings.bundle === undefined) return [];
  const warnings = [`${name}: a job has no Docker, and no MCP servers on loopback; a task that needs them is masked`];
  if (!bundle)
    warnings.push(`${name}: the bundle ${settings.bundle} must be installed by a requirement in pyproject.toml`);
  if (bundle?.settingsFrom !== undefined)
    warnings.push(`${name}: the package includes AgentEnv's settings from ${bundle.settingsFrom}`);
  return warnings;
}

async function readText(file: string, folder: string): Promise<string> {
  await new LinkGuard(folder).assert(file);
  const bytes = await readNoFollow(file, LIMITS.configBytes);
  if (bytes === 'too-large') throw overLimit('configBytes', { where: file });
  if (bytes === 'not-a-file') throw new UserError('not a regular file', { where: file, fix: 'write the folder again' });
  return bytes.toString();
}
