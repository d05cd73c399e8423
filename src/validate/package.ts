import { isRecord } from '../json/guards.js';
import {
  type Entry,
  isFormat,
  judge,
  MANIFEST,
  type Manifest,
  PACKAGE_RULES,
  type PackageFacts,
  type PackageTarget,
  type RuleFinding,
  type UnreadableFile,
  type YamlFile,
} from '../rules/index.js';
import { instancesOf, serverFolders } from './configs.js';
import { listEntries } from './listing.js';
import { isReadable, readYamlFile } from './yaml-file.js';

export interface PackageOptions {
  target: PackageTarget;
  /** Versions of the image, by project. */
  pins: Readonly<Record<string, string>>;
}

/** Reads a package: its manifest, its configs and the names of its files. Wheels are read by `wheels.ts`. */
export async function readPackage(root: string, options: PackageOptions): Promise<PackageFacts> {
  const entries = await listEntries(root);
  const unreadable: UnreadableFile[] = [];
  const manifest = await readManifest(root, entries, unreadable);
  const files: YamlFile[] = [];
  for (const path of new Set(manifest?.configPaths)) {
    if (!entries.some((entry) => entry.path === path && entry.kind === 'file')) continue; // `paths-missing-file`
    const file = await readYamlFile(root, path);
    if (isReadable(file)) files.push(file);
    else unreadable.push(file);
  }
  return {
    ...options,
    entries,
    manifest,
    files,
    unreadable,
    instances: files.flatMap(instancesOf),
    servers: await serverFolders(root, entries),
    others: new Set(),
  };
}

/** Applies the rules of a package, except those about wheels. */
export function judgePackage(facts: PackageFacts): RuleFinding[] {
  return [...judge(PACKAGE_RULES, facts)];
}

async function readManifest(
  root: string,
  entries: readonly Entry[],
  unreadable: UnreadableFile[],
): Promise<Manifest | undefined> {
  if (!entries.some(({ path, kind }) => path === MANIFEST && kind !== 'folder')) return undefined;
  const file = await readYamlFile(root, MANIFEST);
  if (isReadable(file) && isRecord(file.value)) return manifestOf(file, file.value);
  unreadable.push(isReadable(file) ? { file: MANIFEST, problem: 'is not a map', line: 1 } : file);
  return undefined;
}

function manifestOf(file: YamlFile, value: Record<string, unknown>): Manifest {
  const { format, config_paths: paths } = value;
  return {
    ...file,
    value,
    format: isFormat(format) ? format : undefined,
    configPaths: Array.isArray(paths) ? paths.filter((path): path is string => typeof path === 'string') : [],
  };
}
