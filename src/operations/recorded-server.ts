import path from 'node:path';
import { UserError } from '../errors.js';
import type { BundleConfig, ServerConfig } from '../model.js';
import { parseServerUrl } from '../openenv/index.js';
import { gymgenCommand } from '../printed-command.js';
import type { Reporter } from '../reporter.js';
import {
  BUNDLE_NAME,
  type BundleOptions,
  bundleReference,
  FRAMEWORK_VERSION,
  inRepositoryOf,
  realPath,
} from '../source/index.js';

interface RecordedServerOptions {
  bundle?: BundleOptions;
  /** Whether the recording may name any bundle and version. */
  trustRecording?: boolean;
  /** The source in the lock file of the existing folder. */
  current?: string | undefined;
}

/** A public or local version (PEP 440), such as `0.9.1364` or `1.0rc1+cpu`. */
const VERSION = /^\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?(?:\+[a-z0-9]+(?:\.[a-z0-9]+)*)?$/;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * The server or bundle of a recording, for the config. A recording is not trusted: its choices are shown, and it must not make
 * the written server run code that the user did not choose.
 * @param recording path of its file
 * @param configFolder absolute path of the folder of the config
 * @throws UserError if a value is invalid; or, without `trustRecording`, if the recording names a bundle outside its git
 * repository, or another version of AgentEnv than gymgen's
 */
export async function recordedServer(
  recording: string,
  server: ServerConfig,
  configFolder: string,
  options: RecordedServerOptions,
  reporter: Reporter,
): Promise<ServerConfig> {
  const show = (text: string) => reporter.note?.(`${text} (from the recording)`);
  if ('url' in server) {
    show(`url ${parseServerUrl(server.url).http}`);
    return server;
  }
  assertValid(recording, server);
  const { bundle, framework, sandbox } = server;
  const folder = await folderOf(recording, bundle);
  const kind = folder === null ? 'installed bundle' : 'bundle';
  const isolated = sandbox === undefined ? '' : `, sandbox ${sandbox}`;
  show(`${kind} ${folder ?? bundle}, AgentEnv ${framework}${isolated}`);
  if (!options.trustRecording) await assertTrusted(recording, folder, framework);
  if (folder === null || !bundle.startsWith('.')) return server;
  return {
    ...server,
    bundle: await bundleReference(folder, configFolder, { ...options.bundle, current: options.current }),
  };
}

function assertValid(recording: string, { bundle, framework, sandbox = '' }: BundleConfig): void {
  const problems = [
    ...(HIDDEN.test(bundle) || !(isFolder(bundle) || BUNDLE_NAME.test(bundle)) ? ['bundle: not a path or a name'] : []),
    ...(VERSION.test(framework) ? [] : ['framework: not a version']),
    ...(HIDDEN.test(sandbox) ? ["sandbox: not a provider's name"] : []),
  ];
  if (problems.length === 0) return;
  throw new UserError('the recording names an invalid bundle', {
    where: recording,
    details: problems,
    fix: `record it again: ${gymgenCommand`record <source> ${recording}`}`,
  });
}

/** The same rule as in `located` of the bridge's bundle.py. */
function isFolder(bundle: string): boolean {
  return path.isAbsolute(bundle) || /^[.~]/.test(bundle);
}

/** The folder of a bundle; null for the name of an installed one. */
async function folderOf(recording: string, bundle: string): Promise<string | null> {
  if (!isFolder(bundle)) return null;
  if (bundle.startsWith('~')) return bundle; // home folder of the user who runs the written server
  return path.resolve(path.dirname(await realPath(recording)), bundle);
}

async function assertTrusted(recording: string, folder: string | null, framework: string): Promise<void> {
  const isOutside = folder !== null && (folder.startsWith('~') || !(await inRepositoryOf(recording, folder)));
  const reasons = [
    ...(isOutside ? [`the bundle ${folder} is not in the git repository of the recording`] : []),
    ...(framework === FRAMEWORK_VERSION
      ? []
      : [`the recording is from AgentEnv ${framework}; this gymgen is tested with ${FRAMEWORK_VERSION}`]),
  ];
  if (reasons.length === 0) return;
  throw new UserError('the recording names code that you have not trusted yet', {
    where: recording,
    details: reasons,
    fix: `if you trust the recording, add --trust-recording; or use the bundle as the source: ${gymgenCommand`<bundle> <gym-root>`}`,
  });
}
