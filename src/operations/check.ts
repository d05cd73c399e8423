import path from 'node:path';
import { Comparison } from '../check/comparison.js';
import type { FileDifference } from '../check/difference.js';
import { unlistedFiles } from '../check/unlisted-files.js';
import { ToolsDiffer } from '../discover/index.js';
import { namesOf } from '../gym/index.js';
import { assertFinished, type Planned, planFolder, readLock } from '../output/index.js';
import { gymgenCommand } from '../printed-command.js';
import type { Reporter } from '../reporter.js';
import { rootFolders } from '../written/index.js';
import { type Generated, type GenerateRequest, generate } from './generate.js';
import { Warnings } from './strict.js';

export interface CheckReport extends Generated, Planned {
  /** Every file that differs from what is generated. */
  differences: FileDifference[];
  /** Files that the user keeps against gymgen's version, or with edited prompts. They are not differences. */
  keptFiles: KeptFile[];
  /** Files in the folders of gymgen that it did not write, such as rows of no known split. */
  unlisted: string[];
  /** Other folders that were written from the same source under another name. They are not differences. */
  former: string[];
}

export interface KeptFile {
  path: string;
  /** Such as `kept as you edited it`. */
  note: string;
}

/**
 * Generates a folder in memory and compares it with the existing one. Writes nothing.
 * @throws UserError if the source cannot be read, or if gymgen did not write the folder
 */
export async function check(request: GenerateRequest, reporter: Reporter, signal: AbortSignal): Promise<CheckReport> {
  await assertFinished(request.gymRoot);
  let { name } = request;
  const claim = (found: string) => {
    name = found;
    request.claim?.(found);
  };
  try {
    return await compare({ ...request, claim }, reporter, signal);
  } catch (error) {
    if (!(error instanceof ToolsDiffer) || name === undefined) throw error;
    const report = await differingTools(request, name, error);
    if (!report) throw error;
    return report;
  }
}

function compare(request: GenerateRequest, reporter: Reporter, signal: AbortSignal): Promise<CheckReport> {
  return generate(
    { ...request, dropPrompts: true, readOnly: true, trustRecording: true },
    async (target, files, record) => {
      const comparison = new Comparison(target);
      // `keep` is the plan that does not touch edited files.
      const planned = await planFolder(target, comparison.watch(files), record, { edits: 'keep', signal });
      const { entries } = planned.plan;
      const differing = entries.filter(({ state }) => state !== 'same');
      const paths = entries.map(({ path }) => path);
      return {
        ...planned,
        differences: await comparison.differences(differing, planned.lock),
        keptFiles: entries.flatMap(({ path, state, note }) => (state === 'same' && note ? [{ path, note }] : [])),
        unlisted: await unlistedFiles(planned.folder, paths, namesOf(target.name).config),
        former: await formerFolders(request, target.name, sourceIn(planned.lock)),
      };
    },
    new Warnings(reporter),
    signal,
  );
}

function sourceIn(lock: string): unknown {
  return (JSON.parse(lock) as { source?: unknown }).source;
}

/**
 * The report of a folder whose tasks of one agent had the same tools when it was written, and no longer do. With its options
 * it cannot be generated again, but it differs for sure.
 * @returns undefined if gymgen did not write the folder
 */
async function differingTools(
  { gymRoot, discover }: GenerateRequest,
  name: string,
  { message }: ToolsDiffer,
): Promise<CheckReport | undefined> {
  const folder = path.join(path.resolve(gymRoot), namesOf(name).folder);
  if (!(await readLock(folder))) return undefined;
  const entry = { path: 'toolsets.json', state: 'update' as const, note: message };
  const fix = `to write the folder again: ${gymgenCommand`<source> ${gymRoot} --name ${name} --probes all`}`;
  return {
    name,
    envName: '',
    folder,
    changed: true,
    plan: { entries: [entry], rows: {} },
    lock: '',
    differences: [{ ...entry, diff: [fix] }],
    keptFiles: [],
    unlisted: [],
    former: [],
    rows: discover.splits.map((split) => ({ split, rows: 0 })),
    toolsets: [],
    sample: { probed: 0, tasks: 0 },
    kept: {},
    keptPrompts: 0,
    row: null,
    notes: [],
    warnings: [],
    counts: { sessions: 0, requests: 0, bytes: 0 },
  };
}

/**
 * Other folders of a Gym root that were named after the environment of the same source: it has another name now, or a server
 * at the same URL was replaced. NeMo Gym still lists them.
 * @param source of the lock file of the folder that was compared
 */
async function formerFolders(
  { gymRoot, name: passed }: GenerateRequest,
  name: string,
  source: unknown,
): Promise<string[]> {
  if (passed !== undefined) return [];
  const folder = path.join(gymRoot, namesOf(name).folder);
  const isNamed = (await readLock(folder))?.options?.name !== undefined;
  if (isNamed) return [];
  const { written } = await rootFolders(gymRoot).catch(() => ({ written: [] }));
  return written
    .filter((other) => other.name !== name && other.lock.source === source && other.lock.options?.name === undefined)
    .map((other) => other.name);
}
