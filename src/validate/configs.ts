import { join } from 'node:path';
import { readNoFollow } from '../files.js';
import { isRecord } from '../json/guards.js';
import { LIMITS } from '../limits.js';
import {
  type Entry,
  type Instance,
  isDirective,
  isInstance,
  SERVER_TYPES,
  type ServerFolder,
  textsIn,
  type YamlFile,
} from '../rules/index.js';

/** Keys of Gym that take values from elsewhere (nemo_gym/global_config.py). */
const DIRECTIVES = ['_inherit_from', '_copy', '_delete_key'];

/** The instances that a config starts. */
export function instancesOf(config: YamlFile): Instance[] {
  const { value } = config;
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, body]) => (isInstance(body) ? [instanceOf(config, name, body)] : []));
}

function instanceOf(config: YamlFile, name: string, body: Record<string, unknown>): Instance {
  const types = SERVER_TYPES.filter((type) => isRecord(body[type])).sort(
    (one, other) => Object.keys(body).indexOf(one) - Object.keys(body).indexOf(other),
  );
  const type = types[0] as (typeof types)[number];
  const implementations = Object.keys(body[type] as object);
  const [first] = implementations;
  const settings = first === undefined ? undefined : (body[type] as Record<string, unknown>)[first];
  return {
    name,
    config,
    types,
    type,
    implementations,
    settings: isRecord(settings) ? settings : {},
    keys: [name, type, ...(first === undefined ? [] : [first])],
    isPartial: isPartial(config.value as Record<string, unknown>, body),
  };
}

/** Whether other configs complete an instance, by nested `config_paths` or a directive. */
function isPartial(config: Record<string, unknown>, body: Record<string, unknown>): boolean {
  return 'config_paths' in config || hasDirective(body) || [...textsIn(body)].some(({ text }) => isDirective(text));
}

function hasDirective(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasDirective);
  if (!isRecord(value)) return false;
  return DIRECTIVES.some((key) => key in value) || Object.values(value).some(hasDirective);
}

/** The folders of servers: `<type>/<name>`. */
export async function serverFolders(root: string, entries: readonly Entry[]): Promise<ServerFolder[]> {
  const folders = new Map<string, Omit<ServerFolder, 'requirements'> & { files: Set<string> }>();
  for (const { path, kind, target } of entries) {
    const [type, name, file, deeper] = path.split('/');
    const serverType = SERVER_TYPES.find((one) => one === type);
    if (serverType === undefined || name === undefined || deeper !== undefined) continue;
    const at = `${type}/${name}`;
    const folder = folders.get(at) ?? { path: at, type: serverType, name, files: new Set<string>() };
    if (file === undefined ? kind === 'folder' : kind === 'file' || target === 'file') folders.set(at, folder);
    if (file !== undefined && (kind === 'file' || target === 'file')) folder.files.add(file);
  }
  return Promise.all(
    [...folders.values()].map(async (folder) => ({ ...folder, requirements: await requirementsIn(root, folder) })),
  );
}

async function requirementsIn(root: string, { path, files }: Pick<ServerFolder, 'path' | 'files'>) {
  if (!files.has('requirements.txt')) return undefined;
  const bytes = await readNoFollow(join(root, path, 'requirements.txt'), LIMITS.configBytes).catch(() => 'not-a-file');
  return typeof bytes === 'string' ? undefined : bytes.toString();
}
