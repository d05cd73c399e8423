import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PLATFORMS, PYTHON } from '../../rules/index.js';
import type { Platform } from '../types.js';
import { runUv, type Tools } from './uv.js';
import type { UvPolicy } from './uv-overrides.js';

export interface ResolveParts {
  requirements: readonly string[];
  platform: Platform;
  policy: UvPolicy | undefined;
  /** A folder with the only wheels that may be used; undefined for a package index. */
  wheels?: string;
}

/** uv looks at this folder only, and builds nothing. */
const only = (wheels: string) => ['--offline', '--no-index', '--only-binary', ':all:', '--find-links', wheels];

/** The glibc of the wheels that are looked for. The image has a newer one. */
const OLDEST_GLIBC = '2_28';

/**
 * Resolves requirements to one version of each package for the training image, with hashes.
 * @returns the lines of a requirements file
 * @throws UserError with uv's message
 */
export async function resolve({ requirements, platform, policy, wheels }: ResolveParts, tools: Tools): Promise<string> {
  const [input, output] = [path.join(tools.cwd, 'in.txt'), path.join(tools.cwd, 'closure.txt')];
  await writeFile(input, `${requirements.join('\n')}\n`);
  const constraints = path.join(tools.cwd, 'policy.txt');
  // An override replaces what packages require. The servers' own installs know none, so the versions must satisfy both.
  await writeFile(constraints, [...(policy?.overrides ?? []), ...(policy?.constraints ?? []), ''].join('\n'));
  await runUv(
    [
      ...['pip', 'compile', input, '-o', output, '--quiet', '--no-config', '--no-header', '--no-annotate'],
      ...['--generate-hashes', '--python-version', PYTHON],
      ...['--python-platform', `${PLATFORMS[platform]}-manylinux_${OLDEST_GLIBC}`],
      ...(policy ? ['--constraints', constraints] : []),
      ...(wheels === undefined ? [] : only(wheels)),
    ],
    'uv could not resolve the packages of the environment',
    wheels === undefined
      ? 'correct the requirement that uv names, or a --pin; without network, pass --wheelhouse FOLDER'
      : 'add the missing wheel to the wheelhouse, or correct a --pin',
    tools,
  );
  return readFile(output, 'utf8');
}

/** The versions in a closure's text, by name. */
export function versionsIn(closure: string): Map<string, string> {
  const pins = closure.matchAll(/^([A-Za-z0-9][\w.-]*)==([^\s;\\]+)/gm);
  return new Map([...pins].map(([, name, version]) => [name as string, version as string]));
}
