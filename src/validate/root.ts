import { basename, join } from 'node:path';
import {
  type Configs,
  type Entry,
  judge,
  RESOURCES_SERVERS,
  ROOT_RULES,
  type RootFacts,
  type RuleFinding,
  type UnreadableFile,
  type YamlFile,
} from '../rules/index.js';
import { readGymRoot } from '../written/index.js';
import type { Collector } from './collector.js';
import { instancesOf, serverFolders } from './configs.js';
import { listRoot } from './listing.js';
import { type LiveRequest, withLiveTasks } from './live.js';
import { rowContext } from './row-context.js';
import { judgeRows, type RowsRequest } from './rows.js';
import { isReadable, readYamlFile } from './yaml-file.js';

/**
 * Reads the configs and servers of a Gym root.
 * @param only name of the one folder in `resources_servers/` to judge
 */
export async function readRoot(root: string, only: string | undefined): Promise<RootFacts & { entries: Entry[] }> {
  const entries = await listRoot(root);
  const all = await readConfigs(root, entries);
  const servers = await serverFolders(root, entries);
  const others = new Set(all.files.flatMap(instancesOf).flatMap(({ types, name }) => types.map((t) => `${t}/${name}`)));
  const isJudged = ({ file }: { file: string }) =>
    only === undefined || file.startsWith(`${RESOURCES_SERVERS}/${only}/`);
  const files = all.files.filter(isJudged);
  return {
    entries,
    files,
    unreadable: all.unreadable.filter(isJudged),
    instances: files.flatMap(instancesOf),
    servers: servers.filter(({ type, name }) => type === RESOURCES_SERVERS && (only === undefined || name === only)),
    allServers: servers,
    others,
    gymRoot: await readGymRoot(root),
  };
}

/** Applies the rules of a Gym root, except those about rows. */
export function judgeRoot(facts: RootFacts): RuleFinding[] {
  return [...judge(ROOT_RULES, facts)];
}

async function readConfigs(root: string, entries: readonly Entry[]) {
  const files: YamlFile[] = [];
  const unreadable: UnreadableFile[] = [];
  for (const { path, kind } of entries) {
    const [type = '', , folder] = path.split('/');
    if (kind !== 'file' || folder !== 'configs' || !TYPES.has(type) || !/\.ya?ml$/.test(path)) continue;
    const file = await readYamlFile(root, path);
    if (isReadable(file)) files.push(file);
    else unreadable.push(file);
  }
  return { files, unreadable };
}

const TYPES = new Set<string>([
  RESOURCES_SERVERS,
  'responses_api_agents',
  'environment_servers',
  'responses_api_models',
]);

/**
 * Files that Gym derives from rows and rollouts: `example_rollouts.jsonl`, `train_prepare.jsonl`, …
 * (nemo_gym/train_data_utils.py, nemo_gym/rollout_collection.py).
 */
const DERIVED = /rollouts|_prepare\b|_metrics\b|materialized_inputs/;

/** Judges the rows in the `data/` folders. @returns the rows of each file */
export async function judgeRootRows(
  root: string,
  facts: Configs & { entries: readonly Entry[] },
  request: Pick<RowsRequest, 'signal' | 'progress'> & { live?: LiveRequest | undefined },
  found: Collector,
): Promise<{ file: string; rows: number }[]> {
  const judged: { file: string; rows: number }[] = [];
  const stored = await rowContext(root, facts, undefined, false);
  const context = request.live ? await withLiveTasks(stored, facts.instances, request.live) : stored;
  const known = { ...context, agents: withAll(context.agents, facts.others) };
  for (const { path, kind } of facts.entries) {
    const [type, name, folder, file] = path.split('/');
    const isRows = kind === 'file' && type === RESOURCES_SERVERS && folder === 'data' && file?.endsWith('.jsonl');
    if (!isRows || DERIVED.test(basename(path)) || !facts.servers.some((server) => server.name === name)) continue;
    const rows = await judgeRows({ ...request, path: join(root, path), file: path, context: known }, found);
    if (rows !== undefined) judged.push({ file: path, rows });
  }
  return judged;
}

/** The agents of the configs that are judged, and those of the other configs of the root. */
function withAll(
  agents: Awaited<ReturnType<typeof rowContext>>['agents'],
  others: ReadonlySet<string>,
): NonNullable<typeof agents> {
  const all = new Map(agents);
  for (const other of others) {
    const name = /^responses_api_agents\/(.*)$/s.exec(other)?.[1];
    if (name !== undefined && !all.has(name))
      all.set(name, { implementation: '', tools: undefined, alwaysTools: false });
  }
  return all;
}
