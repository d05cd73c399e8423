import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SetupReporter } from '../../reporter.js';
import { ensureUv } from '../../source/index.js';
import type { OwnWheel, Platform } from '../types.js';
import { download } from './download.js';
import { prove } from './prove.js';
import { resolve, versionsIn } from './resolve.js';
import { wheelName } from './tags.js';
import type { UvPolicy } from './uv-overrides.js';
import { assertUsed, assertWheels } from './wheelhouse.js';

export { assumedPins, type Pins, parsePins, READ_PINS, requirementsOf } from './pins.js';
export { readUvPolicy, type UvPolicy } from './uv-overrides.js';

export interface ClosureParts {
  /** Without those of gymgen's own wheels. */
  requirements: readonly string[];
  own: readonly OwnWheel[];
  platform: Platform;
  /** Whether nemo-gym stays out: its wheel would hide the image's. */
  isAdapter: boolean;
  policy: UvPolicy | undefined;
  /** Absolute path of a folder with all wheels. */
  wheelhouse: string | undefined;
  /** A closure that an earlier run resolved from the same input. */
  known: string | undefined;
  /** An empty folder. */
  work: string;
}

/** All wheels of a package. */
export interface Closure {
  /** The text of closure.txt. */
  text: string;
  /** The wheels by file name: absolute paths, sorted. Gymgen's own are not among them. */
  wheels: string[];
}

/** The wheel that an adapter's package leaves out. */
const GYM = 'nemo-gym';

/**
 * Finds the wheels that a package needs, from a package index or a wheelhouse, and checks that none is missing.
 * @throws UserError if uv is missing, or if uv or pip fails, with its message
 */
export async function closureOf(
  { requirements, own, platform, isAdapter, policy, wheelhouse, known, work }: ClosureParts,
  reporter: SetupReporter,
  signal: AbortSignal,
): Promise<Closure> {
  const uv = await ensureUv(reporter, signal);
  const tools = { uv, cwd: work, signal };
  const names = wheelhouse === undefined ? undefined : await assertWheels(wheelhouse, platform);
  reporter.progress({ phase: 'step', what: 'resolving the packages of the environment' });
  const wanted = [...requirements, ...own.flatMap(({ requires }) => requires)];
  const parts = { requirements: wanted, platform, policy, ...(wheelhouse !== undefined && { wheels: wheelhouse }) };
  const text = known ?? (await resolve(parts, tools));
  if (names) assertUsed(names, versionsIn(text), wheelhouse as string);
  if (wheelhouse === undefined) reporter.progress({ phase: 'step', what: 'downloading wheels' });
  const folder = wheelhouse ?? (await download(text, platform, tools));
  if (wheelhouse === undefined) await assertWheels(folder, platform, 'the downloaded packages');
  reporter.progress({ phase: 'step', what: 'checking that the wheels are complete' });
  const all = await gather(folder, own, work);
  const isPackaged = (file: string) => !isAdapter || wheelName(path.basename(file))?.project !== GYM;
  const needs = [...requirements, ...own.flatMap(({ requirement }) => requirement ?? [])];
  await prove({ requirements: needs, platform, policy, wheels: all.folder }, all.files.filter(isPackaged), tools);
  const files = (await readdir(folder)).sort().filter(isPackaged);
  return { text, wheels: files.map((file) => path.join(folder, file)) };
}

/** One folder with links to all wheels, so that uv finds gymgen's own among them. */
async function gather(
  folder: string,
  own: readonly OwnWheel[],
  work: string,
): Promise<{ folder: string; files: string[] }> {
  const all = path.join(work, 'all');
  await mkdir(all);
  const names = await readdir(folder);
  for (const name of names) await symlink(path.join(folder, name), path.join(all, name));
  for (const { file, content } of own) await writeFile(path.join(all, file), content);
  const files = [...names, ...own.map(({ file }) => file)].sort();
  return { folder: all, files: files.map((name) => path.join(all, name)) };
}
