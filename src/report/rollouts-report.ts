import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { plural } from '../display-text.js';
import { UserError } from '../errors.js';
import type { OnProgress } from '../reporter.js';
import { Blocks } from './blocks.js';
import { barsOf, chartsOf } from './charts.js';
import { columnsOf, type Listed } from './columns.js';
import { comparisonOf, figuresOf } from './figures.js';
import type { Page } from './page.js';
import { type Line, readLines } from './read-lines.js';
import { type Rollout, rolloutOf } from './rollout.js';
import { type Change, changeBetween, type Summary, summarize } from './summary.js';
import { transcriptOf } from './transcript.js';

/** Maximum number of files: the page has this many colors. */
const MOST_FILES = 6;
/** Damaged lines that are named. */
const NAMED = 5;

export interface ReportOptions {
  /** Longest sequence that the trainer accepts, in tokens. */
  limit?: number | undefined;
  signal: AbortSignal;
  /** Called now and then with what is being done. */
  progress: OnProgress;
}

/** One file of rollouts. */
export interface Run {
  file: string;
  summary: Summary;
  /** Lines that could not be used. */
  unreadable: { count: number; first: { line: number; problem: string }[] };
}

export interface RolloutsReport {
  page: Page;
  runs: Run[];
  change?: Change;
}

/**
 * Reads files of rollouts, once and line by line.
 * @param details where the compressed conversations go
 * @throws UserError if a file cannot be read or has no rollouts
 */
export async function reportRollouts(
  files: readonly string[],
  details: FileHandle,
  options: ReportOptions,
): Promise<RolloutsReport> {
  if (files.length > MOST_FILES) {
    throw new UserError(`too many files for one report: ${files.length}`, { fix: `pass ${MOST_FILES} files or fewer` });
  }
  const blocks = new Blocks(details);
  const listed: Listed[] = [];
  const runs: Run[] = [];
  for (const [at, file] of files.entries()) {
    runs.push(
      await readRun(file, options, async (rollout, line) => {
        listed.push({ rollout, file: at, place: await blocks.add(transcriptOf(line.value, line.json)) });
      }),
    );
  }
  await blocks.flush();
  const rollouts = files.map((_, at) => listed.filter(({ file }) => file === at).map(({ rollout }) => rollout));
  const change = rollouts.length === 2 ? changeBetween(rollouts[0] as Rollout[], rollouts[1] as Rollout[]) : undefined;
  const page = pageOf(files, runs, listed, rollouts, change, options.limit);
  return { page, runs, ...(change ? { change } : {}) };
}

type Good = Extract<Line, { value: unknown }>;

async function readRun(
  file: string,
  { signal, progress }: ReportOptions,
  take: (rollout: Rollout, line: Good) => Promise<void>,
): Promise<Run> {
  const rollouts: Rollout[] = [];
  const unreadable: Run['unreadable'] = { count: 0, first: [] };
  for await (const batch of readLines(file)) {
    signal.throwIfAborted();
    for (const line of batch) {
      if ('problem' in line) {
        unreadable.count += 1;
        if (unreadable.first.length < NAMED) unreadable.first.push(line);
        continue;
      }
      const rollout = rolloutOf(line.value, line.line);
      rollouts.push(rollout);
      await take(rollout, line);
    }
    progress({ phase: 'read', from: file, unit: 'rollouts', done: rollouts.length });
  }
  if (rollouts.length === 0) throw noRollouts(file, unreadable);
  return { file, summary: summarize(rollouts), unreadable };
}

function noRollouts(where: string, { first }: Run['unreadable']): UserError {
  return new UserError('no rollouts in this file', {
    where,
    details: first.map(({ line, problem }) => `line ${line}: ${problem}`),
    fix: 'pass a rollouts.jsonl of gym eval run; for the rows of a server, pass its folder in resources_servers/',
  });
}

function pageOf(
  files: readonly string[],
  runs: readonly Run[],
  listed: readonly Listed[],
  rollouts: readonly (readonly Rollout[])[],
  change: Change | undefined,
  limit: number | undefined,
): Page {
  const names = labelsOf(files);
  const summaries = runs.map(({ summary }) => summary);
  const [only] = summaries;
  const { tasks, ...index } = columnsOf(listed);
  const agents = [...new Set(summaries.flatMap((summary) => summary.agents))];
  return {
    title: names.join(' and '),
    about: [
      `${plural(listed.length, 'rollout')} of ${plural(tasks, 'task')}`,
      ...(agents.length > 0 ? [`played by ${agents.slice(0, 5).join(', ')}${agents.length > 5 ? ', …' : ''}`] : []),
    ].join(', '),
    notices: noticesOf(names, runs, listed),
    ...(runs.length === 1 && only
      ? { figures: figuresOf(only) }
      : { comparison: comparisonOf(names, summaries, change) }),
    charts: chartsOf(rollouts, limit),
    bars: barsOf(summaries),
    timeline: {
      title: 'Reward by task',
      note: `in the order of the rows${summaries.some(({ masked }) => masked > 0) ? '; crosses are masked' : ''}; click a point to open its rollout`,
      label: `Reward of each rollout by task, for ${plural(tasks, 'task')}. The list below has the same rollouts.`,
    },
    tables: [],
    rollouts: true,
    index: { files: names, tasks, ...index },
  };
}

function noticesOf(names: readonly string[], runs: readonly Run[], listed: readonly Listed[]): string[] {
  const left = listed.filter(({ place }) => place === undefined).length;
  return [
    ...runs.flatMap(({ summary: { withoutReward }, unreadable: { count, first } }, at) => {
      const of = runs.length > 1 ? ` of ${names[at]}` : '';
      const lines = first.map(({ line, problem }) => `line ${line}, ${problem}`).join('; ');
      return [
        ...(count > 0
          ? [`${plural(count, 'line')}${of} could not be read: ${lines}${count > first.length ? '; …' : ''}`]
          : []),
        ...(withoutReward > 0
          ? [`${plural(withoutReward, 'rollout')}${of} without a number as reward, left out of the mean`]
          : []),
      ];
    }),
    ...(left > 0
      ? [`the conversations of ${plural(left, 'rollout')} were left out, because the page would be too large`]
      : []),
  ];
}

/** Short names of files: their base names, with as many folders as needed to distinguish them. */
function labelsOf(files: readonly string[]): string[] {
  const parts = files.map((file) =>
    path
      .normalize(file)
      .split(path.sep)
      .filter((part) => part !== '' && part !== '.'),
  );
  const longest = Math.max(...parts.map(({ length }) => length));
  for (let length = 1; length <= longest; length += 1) {
    const labels = parts.map((part) => part.slice(-length).join('/'));
    if (new Set(labels).size === labels.length) return labels;
  }
  return files.map((_, at) => `${parts[at]?.join('/')} (${at + 1})`);
}
