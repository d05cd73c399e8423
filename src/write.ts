import path from 'node:path';
import {
  type DiscoverOptions,
  type Discovery,
  discover,
  END_TURN,
  type Reporter,
  type Toolset,
} from './discover/index.js';
import { checkOptions, checkServer, folder, type GymOptions, namesOf, type Settings, slug } from './gym/index.js';
import { parseServerUrl } from './openenv/index.js';
import { finishCommits, type JsonValue, type OutputFile, type Plan, writeFolder } from './output/index.js';
import { currentSettings, readRoot } from './root/index.js';
import { Findings, gymRoot } from './rules/index.js';

/** What the user asks for; the same request writes the same bytes, as long as the server serves the same. */
export interface WriteRequest {
  /** The OpenEnv server's URL, in any form that people have. */
  url: string;
  gymRoot: string;
  /** The instance and folder name; made of the environment's name where it is not given. */
  name?: string;
  /** What the config says, where that isn't `url`. */
  configUrl?: string;
  discover: Omit<DiscoverOptions, 'signal'>;
  gym: Omit<GymOptions, 'name' | 'url'>;
  /** The options that make this request again, for the lock file. */
  record: Record<string, JsonValue>;
  force: boolean;
  dryRun: boolean;
}

/** What was written, or would be. */
export interface WriteReport {
  folder: string;
  name: string;
  envName: string;
  /** False where the folder was as it should be already. */
  changed: boolean;
  plan: Plan;
  rows: { split: string; rows: number }[];
  toolsets: { key: string; tools: string[]; turns: number }[];
  /** Settings that were found in the config and kept. */
  kept: Settings;
  /** A row as it is written. */
  row: string | null;
  /** Sessions opened, and requests and bytes over HTTP. */
  counts: { sessions: number; requests: number; bytes: number };
}

/**
 * The main job: a server's splits and tasks become a folder of the Gym root, whole or not at all.
 * @throws UserError for everything that a user can mend; the signal's reason when it aborts
 */
export async function write(request: WriteRequest, reporter: Reporter, signal: AbortSignal): Promise<WriteReport> {
  for (const name of await finishCommits(request.gymRoot)) {
    reporter.warn(`finished the writing of '${name}', which an earlier run had begun`);
  }
  const root = path.resolve(request.gymRoot);
  refuse(gymRoot(await readRoot(root)));
  const found = await discover(request.url, { ...request.discover, signal }, reporter);
  try {
    const name = request.name ?? slug(found.envName);
    const kept = await currentSettings(root, name);
    const url = request.configUrl ?? parseServerUrl(request.url).http;
    const options = { ...request.gym, name, url, settings: { ...kept, ...request.gym.settings } };
    refuse([...checkOptions(options), ...checkServer(found, options)]);

    const findings = new Findings();
    const sample = new FirstRow();
    const record = () => {
      findings.throwIfAny(REFUSED);
      return { source: url, options: request.record, toolsets: found.toolsets().map(summary) };
    };
    const files = sample.of(folder(found, options, findings));
    const { force, dryRun } = request;
    const written = await writeFolder({ gymRoot: root, name }, files, record, { force, dryRun, signal });
    return {
      ...written,
      name,
      envName: found.envName,
      rows: rowsOf(found, name, written.plan),
      toolsets: found.toolsets().map(summary),
      kept: without(kept, request.gym.settings),
      row: sample.row,
      counts: found.counts(),
    };
  } finally {
    await found.close();
  }
}

const REFUSED = 'NeMo Gym would refuse what this server serves; nothing was written';

function refuse(findings: ReturnType<typeof gymRoot>): void {
  const all = new Findings();
  all.add(...findings);
  all.throwIfAny('this can not become a folder that NeMo Gym takes; nothing was written');
}

function without(kept: Settings, given: Settings): Settings {
  return Object.fromEntries(Object.entries(kept).filter(([key]) => !(key in given)));
}

function summary({ key, turns }: Toolset) {
  return { key, tools: [...new Set(turns.flat().map((tool) => tool.name))], turns: turns.length };
}

function rowsOf({ splits }: Discovery, name: string, { rows }: Plan): WriteReport['rows'] {
  return splits.map((split) => ({ split: split.name, rows: rows[namesOf(name).rows(split.name)] ?? 0 }));
}

/** Whether tasks have turns that the model must end itself. */
export function hasTurns(report: WriteReport): boolean {
  return report.toolsets.some(({ turns, tools }) => turns > 1 && tools.includes(END_TURN));
}

/** Keeps the first row of what goes by. */
class FirstRow {
  row: string | null = null;

  async *of(files: AsyncIterable<OutputFile>): AsyncGenerator<OutputFile> {
    for await (const file of files) yield 'rows' in file ? { ...file, rows: this.watch(file.rows) } : file;
  }

  private async *watch(rows: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const chunk of rows) {
      this.row ??= chunk.slice(0, chunk.indexOf('\n'));
      yield chunk;
    }
  }
}
