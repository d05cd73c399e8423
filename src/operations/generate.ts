import path from 'node:path';
import type { Discovery, DiscoverySummary, Toolset } from '../discover/index.js';
import { UserError } from '../errors.js';
import {
  checkOptions,
  checkServer,
  folder,
  type GymOptions,
  MAX_CONCURRENT_ENVS,
  namesOf,
  type ServerConfig,
  type Settings,
  slug,
} from '../gym/index.js';
import { type JsonValue, type OutputFile, type Plan, readLock, type Target, type Written } from '../output/index.js';
import { describe, type Finding, Findings, gymRoot, type Judged, rewardScore } from '../rules/index.js';
import { currentSettings, PromptKeeper, readRoot } from '../written/index.js';
import { openSource, type SourceRequest } from './open-source.js';
import type { Warnings } from './warnings.js';

/** What the user asks for; the same request makes the same bytes, as long as the server serves the same. */
export interface GenerateRequest extends SourceRequest {
  gymRoot: string;
  /** The instance and folder name; made of the environment's name where it is not given. */
  name?: string;
  gym: Omit<GymOptions, 'name' | 'server'>;
  /** Keep prompts that were edited by hand since the rows were written; those that are kept already are in any case. */
  keepPrompts?: boolean;
  /** Any warning is an error, and ends the run before anything is written. */
  strict?: boolean;
  /** Let prompts of the user's go whose tasks are gone or at another place, in place of refusing to. */
  dropPrompts?: boolean;
  /** Told the name before anything is written; what it throws ends the run. */
  claim?: (name: string) => void;
  /** The options that make this request again, for the lock file. */
  record: Record<string, JsonValue>;
}

/** What was generated. */
export interface Generated {
  name: string;
  envName: string;
  rows: { split: string; rows: number }[];
  toolsets: { key: string; tools: string[]; turns: number }[];
  /** Settings that were found in the config and kept. */
  kept: Settings;
  /** Rows that have prompts of the user's, edited by hand. */
  keptPrompts: number;
  /** A row as it is generated. */
  row: string | null;
  /** What was found out and decided. */
  notes: readonly string[];
  /** What some models' APIs would refuse, or what looks like a mistake. */
  warnings: readonly Judged[];
  /** The command that serves the tasks for NeMo Gym, where somebody has to and gymgen knows how. */
  serve?: string;
  /** Sessions opened, and requests and bytes over HTTP. */
  counts: { sessions: number; requests: number; bytes: number };
}

/** What becomes of the files: they are written, or compared with what is there. */
export type Output<T extends Written> = (
  target: Target,
  files: AsyncIterable<OutputFile>,
  record: () => Record<string, JsonValue>,
) => Promise<T>;

/**
 * The straight line from a source to the files of its folder, which `output` takes in as they come.
 * @throws UserError for everything that a user can mend; the signal's reason when it aborts
 */
export async function generate<T extends Written>(
  request: GenerateRequest,
  output: Output<T>,
  warnings: Warnings,
  signal: AbortSignal,
): Promise<Generated & T> {
  const root = path.resolve(request.gymRoot);
  refuse(gymRoot(await readRoot(root)));
  const { found, close, ...source } = await openSource(request, warnings, signal);
  try {
    if (source.recorded) assertOriginNamed(request);
    const name = request.name ?? slug(found.envName);
    request.claim?.(name);
    const kept = await currentSettings(root, name);
    const server = await source.server(path.dirname(path.join(root, namesOf(name).folder, namesOf(name).config)));
    const usual = defaults(server, found, { ...kept, ...request.gym.settings });
    const settings = { ...usual, ...kept, ...request.gym.settings };
    const options = { ...request.gym, name, server, settings };
    refuse([...checkOptions(options), ...checkServer(found, options)]);

    const findings = new Findings();
    const sample = new FirstRow();
    const target = path.join(root, namesOf(name).folder);
    const prompts = new PromptKeeper(target, await readLock(target), request.keepPrompts ?? false);
    let summary: DiscoverySummary = { toolsets: [] };
    const generated = async function* () {
      summary = yield* folder(found, options, findings);
    };
    const record = () => {
      findings.throwIfAny(REFUSED);
      findings.add(rewardScore(settings.reward, summary.scores));
      for (const finding of findings.warnings) warnings.warn(describe(finding));
      if (request.strict) warnings.assertNone();
      if (request.dropPrompts !== true) prompts.assertNoneLost();
      return {
        source: 'url' in server ? server.url : server.bundle,
        ...('sandbox' in server && server.sandbox !== undefined ? { sandbox: server.sandbox } : {}),
        options: request.record,
        toolsets: summary.toolsets.map(toolsetSummary),
      };
    };
    const files = prompts.of(sample.of(generated()));
    const written = await output({ gymRoot: root, name }, files, record);
    return {
      ...written,
      name,
      envName: found.envName,
      rows: rowsOf(found, name, written.plan),
      toolsets: summary.toolsets.map(toolsetSummary),
      notes: found.notes ?? [],
      warnings: findings.warnings,
      keptPrompts: prompts.count,
      kept: without(kept, request.gym.settings, usual),
      ...('serve' in source ? { serve: source.serve } : {}),
      row: sample.row,
      counts: found.counts(),
    };
  } finally {
    await close();
  }
}

/** The written server sends the headers to the URL of its config: a recording may not choose that. */
function assertOriginNamed({ url, configUrl, gym }: GenerateRequest): void {
  if (configUrl !== undefined || Object.keys(gym.headers).length === 0) return;
  throw new UserError('--header-env with a recording needs --config-url', {
    where: url,
    details: ['the written server would send the header to a URL that the recording names'],
    fix: 'name the server that gets the header: --config-url URL',
  });
}

const REFUSED = 'NeMo Gym would refuse what this server serves; nothing was written';

function refuse(findings: readonly Finding[]): void {
  const all = new Findings();
  all.add(findings);
  all.throwIfAny('this can not become a folder that NeMo Gym takes; nothing was written');
}

/** What the config says in any case, for people to see and to change. */
function defaults(server: ServerConfig, { rewardRule }: Discovery, { reward }: Settings): Settings {
  return {
    ...('bundle' in server ? { max_concurrent_envs: MAX_CONCURRENT_ENVS } : {}),
    ...(rewardRule && reward === undefined ? { reward_rule: rewardRule } : {}),
  };
}

/** Those of the settings that were not given, and are not what would be there anyway. */
function without(kept: Settings, given: Settings, defaults: Settings): Settings {
  const news = (key: string, value: unknown) => !(key in given) && defaults[key as keyof Settings] !== value;
  return Object.fromEntries(Object.entries(kept).filter(([key, value]) => news(key, value)));
}

function toolsetSummary({ key, turns }: Toolset) {
  return { key, tools: [...new Set(turns.flat().map((tool) => tool.name))], turns: turns.length };
}

function rowsOf({ splits }: Discovery, name: string, { rows }: Plan): Generated['rows'] {
  return splits.map((split) => ({ split: split.name, rows: rows[namesOf(name).rows(split.name)] ?? 0 }));
}

/** Keeps the first row of what goes by. */
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
