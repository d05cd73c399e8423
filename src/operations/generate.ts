import path from 'node:path';
import { countDifferentTasks, type Discovery, type DiscoverySummary, type Toolset } from '../discover/index.js';
import { UserError } from '../errors.js';
import {
  checkOptions,
  checkServer,
  folder,
  GENERATOR_REVISION,
  namesOf,
  slug,
  toolsetKey,
  withDatasets,
} from '../gym/index.js';
import type { Datasets, GymRequest, ServerConfig } from '../model.js';
import {
  type JsonValue,
  LOCK_FILE,
  type Lock,
  type OutputFile,
  type Plan,
  readLock,
  type Target,
  type Written,
} from '../output/index.js';
import type { Reporter } from '../reporter.js';
import { describe, type Finding, Findings, gymRoot, rewardScore } from '../rules/index.js';
import { MAX_CONCURRENT_ENVS, type SettingKey, type Settings } from '../settings.js';
import { type CurrentConfig, currentConfig, EditedPrompts, KeptSettings, readGymRoot } from '../written/index.js';
import { openSource, type SourceRequest } from './open-source.js';
import { assertRecorded, cutSplits } from './recording-gaps.js';
import { rewriteWarnings } from './rewrite-warnings/index.js';
import type { Warnings } from './strict.js';

/** The same request and source data generate the same bytes. */
export interface GenerateRequest extends SourceRequest {
  gymRoot: string;
  /** Name of the server and its folder; derived from the environment's name by default. */
  name?: string;
  gym: GymRequest;
  /** Whether nothing is written, so that the path of the Gym root does not matter. */
  readOnly?: boolean;
  /** Whether settings of the existing config come before those of the request, which are of a lock file. */
  keepSettings?: boolean;
  /** Keep prompts that were edited by hand since the last write. Prompts that were kept before are always kept. */
  keepPrompts?: boolean;
  /** Treat warnings as errors, before anything is written. */
  strict?: boolean;
  /** Drop edited prompts that no longer match a task, instead of failing. */
  dropPrompts?: boolean;
  /** Called with the name before anything is written; an error ends the run. */
  claim?: (name: string) => void;
  /** Options for the lock file, from which this request can be made again. */
  record: Record<string, JsonValue>;
}

/** A summary of the generated folder. */
export interface Generated {
  name: string;
  envName: string;
  rows: { split: string; rows: number }[];
  toolsets: { key: string; tools: string[]; turns: number }[];
  /** The datasets in the config, if there are any. */
  datasets?: Datasets;
  /** The tools of all tasks are inferred from those of the probed tasks. */
  sample: Sample;
  /** Settings of the existing config that were kept. */
  kept: KeptSettingValues;
  /** Rows with edited prompts that were kept. */
  keptPrompts: number;
  /** The first row. */
  row: string | null;
  /** Facts and decisions of the run. */
  notes: readonly string[];
  /** Problems that only some models' APIs reject, and likely mistakes. */
  warnings: readonly Finding[];
  /** Command that serves the tasks for NeMo Gym, if the user has to run one. */
  serve?: string;
  /** Sessions opened, and requests and bytes over HTTP. */
  counts: { sessions: number; requests: number; bytes: number };
}

/** An interpolation is a text. */
export type KeptSettingValues = Partial<Record<SettingKey, string | number>>;

/** How many tasks were probed for their tools, of how many. */
export interface Sample {
  probed: number;
  /** Estimated number of different tasks: the splits of a server may overlap. */
  tasks: number;
}

/** Takes the generated files: writes them, or compares them with existing ones. */
export type Output<T extends Written> = (
  target: Target,
  files: AsyncIterable<OutputFile>,
  record: () => Record<string, JsonValue>,
) => Promise<T>;

/**
 * Generates the files of a folder from a source and streams them to `output`.
 * @throws UserError for problems that a user can fix; the signal's reason if it aborts
 */
export async function generate<T extends Written>(
  request: GenerateRequest,
  output: Output<T>,
  warnings: Warnings,
  signal: AbortSignal,
): Promise<Generated & T> {
  const root = path.resolve(request.gymRoot);
  const problems = gymRoot(await readGymRoot(root));
  const [atPath, others] = [problems.filter(isAboutPath), problems.filter((finding) => !isAboutPath(finding))];
  refuse(request.readOnly ? others : problems);
  if (request.readOnly) for (const finding of atPath) warnings.note(describe(finding));
  const { found, close, ...source } = await openSource(request, warnings, signal);
  try {
    if (source.recorded) assertOriginNamed(request);
    const name = request.name ?? slug(found.envName);
    request.claim?.(name);
    const current = await currentConfig(root, name);
    const kept = current.settings;
    const passed = request.keepSettings ? { ...request.gym.settings, ...kept } : request.gym.settings;
    const target = path.join(root, namesOf(name).folder);
    const lock = await readLock(target);
    assertNotNewer(lock, target);
    const server = await source.server(path.dirname(path.join(target, namesOf(name).config)), lock?.source);
    const usual = defaults(server, found, { ...kept, ...passed }, current);
    const settings = { ...usual, ...kept, ...passed };
    const options = { ...withDatasets(request.gym, found.splits), name, server, settings };
    refuse([...checkOptions(options), ...checkServer(found, options)]);

    const findings = new Findings();
    if (lock) findings.add(await rewriteWarnings(request, found, options, target, lock));
    const sample = new FirstRow();
    const prompts = new EditedPrompts(target, lock, request.keepPrompts ?? false);
    let summary: DiscoverySummary = { toolsets: [] };
    const generated = async function* () {
      summary = yield* folder(found, options, findings);
    };
    const record = () => {
      if (source.recorded) assertNothingLeftOut(request, name, found, lock, warnings);
      findings.throwIfAny(REFUSED);
      findings.add(rewardScore(settings.reward, summary.scores));
      for (const finding of findings.warnings) warnings.warn(describe(finding));
      if (request.strict) warnings.assertNone();
      if (request.dropPrompts !== true) prompts.assertNoneLost();
      return {
        generator: GENERATOR_REVISION,
        source: 'url' in server ? server.url : server.bundle,
        ...('sandbox' in server && server.sandbox !== undefined ? { sandbox: server.sandbox } : {}),
        options: request.record,
        toolsets: summary.toolsets.map((toolset) => toolsetSummary(toolset, options.fullIds)),
      };
    };
    const config = new KeptSettings(name, current.text, request.keepSettings ? {} : request.gym.settings);
    const files = config.restore(prompts.restore(sample.of(generated())));
    const written = await output({ gymRoot: root, name }, files, record);
    return {
      ...written,
      name,
      envName: found.envName,
      rows: rowsOf(found, name, written.plan),
      toolsets: summary.toolsets.map((toolset) => toolsetSummary(toolset, options.fullIds)),
      ...(options.datasets ? { datasets: options.datasets } : {}),
      sample: sampleOf(found, summary),
      notes: found.notes ?? [],
      warnings: findings.warnings,
      keptPrompts: prompts.count,
      kept: userSettings({ ...kept, ...current.interpolated }, request.gym.settings, usual),
      ...('serve' in source ? { serve: source.serve } : {}),
      row: sample.row,
      counts: found.counts(),
    };
  } finally {
    await close();
  }
}

/** @throws UserError if a newer gymgen wrote the folder: this version would revert its changes */
function assertNotNewer(lock: Lock | undefined, folder: string): void {
  const { generator = 0 } = lock ?? {};
  if (generator <= GENERATOR_REVISION) return;
  throw new UserError(`a newer gymgen wrote this folder (revision ${generator}, not ${GENERATOR_REVISION})`, {
    where: path.join(folder, LOCK_FILE),
    fix: 'update gymgen, or move the folder away and write it again',
  });
}

/** The path of a checkout does not matter to a command that writes nothing. */
function isAboutPath({ code }: Finding): boolean {
  return code === 'root-path';
}

function assertNothingLeftOut(
  { source, discover }: GenerateRequest,
  name: string,
  found: Discovery,
  lock: Lock | undefined,
  reporter: Reporter,
): void {
  const { splits: selected, limit } = discover;
  assertRecorded({ file: source, name, found, selected, limit }, lock);
  for (const note of cutSplits(found, limit)) reporter.note?.(note);
}

/** The written server sends the headers to the URL of its config, which a recording must not choose. */
function assertOriginNamed({ source, configUrl, gym }: GenerateRequest): void {
  if (configUrl !== undefined || Object.keys(gym.headers).length === 0) return;
  throw new UserError('--header-env with a recording needs --config-url', {
    where: source,
    details: ['the written server would send the header to a URL that the recording names'],
    fix: 'name the server that may receive the header: --config-url URL',
  });
}

const REFUSED = 'NeMo Gym would reject what this server serves; nothing was written';

function refuse(findings: readonly Finding[]): void {
  const all = new Findings();
  all.add(findings);
  all.throwIfAny('NeMo Gym would reject the generated folder; nothing was written');
}

/** Settings that every config names, so that users see and change them. */
function defaults(
  server: ServerConfig,
  { rewardRule }: Discovery,
  { reward }: Settings,
  { interpolated }: CurrentConfig,
): Settings {
  return {
    ...('bundle' in server ? { max_concurrent_envs: MAX_CONCURRENT_ENVS } : {}),
    ...(rewardRule && (reward ?? interpolated.reward) === undefined ? { reward_rule: rewardRule } : {}),
  };
}

/** The kept settings that are neither passed nor defaults. */
function userSettings(kept: KeptSettingValues, passed: Settings, defaults: Settings): KeptSettingValues {
  const isOwn = (key: string, value: unknown) =>
    passed[key as SettingKey] !== value && defaults[key as SettingKey] !== value;
  return Object.fromEntries(Object.entries(kept).filter(([key, value]) => isOwn(key, value)));
}

function toolsetSummary({ key, turns }: Toolset, fullIds: boolean) {
  return {
    key: toolsetKey(key, fullIds),
    tools: [...new Set(turns.flat().map((tool) => tool.name))],
    turns: turns.length,
  };
}

/** An environment with one action has the same tool in all tasks. */
function sampleOf({ splits, action }: Discovery, { toolsets }: DiscoverySummary): Sample {
  const tasks = countDifferentTasks(splits);
  const probed = toolsets.reduce((sum, toolset) => sum + toolset.tasks.length, 0);
  return { probed: action ? tasks : Math.min(probed, tasks), tasks };
}

function rowsOf({ splits }: Discovery, name: string, { rows }: Plan): Generated['rows'] {
  return splits.map((split) => ({ split: split.name, rows: rows[namesOf(name).rows(split.name)] ?? 0 }));
}

/** Remembers the first row. */
class FirstRow {
  row: string | null = null;

  async *of(files: AsyncIterable<OutputFile>): AsyncGenerator<OutputFile> {
    for await (const file of files) yield 'rows' in file ? { ...file, rows: this.watch(file.rows) } : file;
  }

  private async *watch(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of rows) {
      this.row ??= chunk.toString('utf8', 0, chunk.indexOf('\n'));
      yield chunk;
    }
  }
}
