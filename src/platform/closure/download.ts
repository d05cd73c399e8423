import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GLIBC, PLATFORMS, PYTHON } from '../../rules/index.js';
import type { Platform } from '../types.js';
import { versionsIn } from './resolve.js';
import { runUv, type Tools } from './uv.js';

/** The tags that pip is to accept: it does not expand them to older ones. */
const TAGS = [`manylinux_${GLIBC}`, 'manylinux_2_28', 'manylinux_2_17', 'manylinux2014'];
/** The time in built wheels: the first that a zip file can have. */
const EPOCH = '315532800';

/**
 * Downloads the packages of a closure, whose hashes are checked, and builds wheels of those that have none.
 * @returns the folder of the wheels
 * @throws UserError with the message of pip or uv
 */
export async function download(closure: string, platform: Platform, tools: Tools): Promise<string> {
  const file = path.join(tools.cwd, 'download.txt');
  const folder = path.join(tools.cwd, 'wheels');
  await writeFile(file, closure);
  await mkdir(folder);
  const tags = TAGS.flatMap((tag) => ['--platform', `${tag}_${PLATFORMS[platform]}`]);
  await runUv(
    [
      ...['tool', 'run', '--quiet', '--no-config', '--isolated', '--from', 'pip', 'pip', 'download', '--quiet'],
      ...['--disable-pip-version-check', '--no-input', '--no-deps', '--python-version', PYTHON, ...tags],
      ...['--dest', folder, '--requirement', file],
    ],
    'pip could not download the packages of the environment',
    'check the network, or pass --wheelhouse FOLDER',
    tools,
  );
  const sources = (await readdir(folder)).filter((name) => !name.endsWith('.whl')).sort();
  for (const source of sources) await build(path.join(folder, source), folder, closure, tools);
  return folder;
}

/** Builds a wheel of a source distribution, in place of it. The closure's own setuptools builds, so that its bytes stay. */
async function build(source: string, folder: string, closure: string, tools: Tools): Promise<void> {
  const constraints = path.join(tools.cwd, 'build.txt');
  const setuptools = versionsIn(closure).get('setuptools');
  await writeFile(constraints, setuptools === undefined ? '' : `setuptools==${setuptools}\n`);
  const built = path.join(tools.cwd, 'built');
  await runUv(
    [
      ...['build', '--wheel', '--quiet', '--no-config', '--no-create-gitignore', '--build-constraints', constraints],
      ...['--out-dir', built, source],
    ],
    `uv could not build a wheel of ${path.basename(source)}`,
    'pin a version that has a wheel: --pin NAME==VERSION',
    { ...tools, env: { SOURCE_DATE_EPOCH: EPOCH } },
  );
  for (const wheel of (await readdir(built)).filter((name) => name.endsWith('.whl'))) {
    await rename(path.join(built, wheel), path.join(folder, wheel));
  }
  await rename(source, path.join(tools.cwd, path.basename(source)));
}
