import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../errors.js';
import { ABSENT, orUndefined } from '../files.js';
import type { OptionValues } from '../options/index.js';
import { OPTIONS } from '../options/index.js';
import { type Played, type PlayRequest, play, policyOf, type ServeEnvironment } from '../play/index.js';
import { gymgenCommand } from '../printed-command.js';
import {
  binsOf,
  histogram,
  type Line,
  type Rollout,
  readLines,
  rolloutOf,
  type Summary,
  summarize,
} from '../report/index.js';
import type { Reporter } from '../reporter.js';
import { serveExample } from '../source/index.js';
import { targetFolders, type WrittenFolder } from '../written/index.js';
import { isExample } from './example.js';
import { programPath } from './request.js';
import { assertServed } from './served.js';

export interface PlayReport extends Omit<Played, 'output'> {
  /** The folder of the results, as passed. */
  folder: string;
  /** Names of the files in it. */
  files: string[];
  summary: Summary;
  /** Rewards of the scored rollouts, in up to 10 rows; undefined if there are none. */
  histogram?: { start: number; step: number; counts: number[] };
  /** Rollouts that did not end, which are not in the summary. */
  failed: number;
}

/** Rows of the histogram. */
const ROWS = 10;

/**
 * Plays rows of written servers with NeMo Gym, and summarizes the rollouts. This runs the app.py of the Gym root.
 * @param target a Gym root with names, or the folder of a server
 * @throws UserError if options cannot be combined, if the servers cannot be started, or if no rollout ended
 */
export async function playServers(
  target: string,
  names: readonly string[],
  options: OptionValues,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<PlayReport> {
  const model = await modelOf(options);
  const { gymRoot, folders } = await targetFolders(target, names);
  const serve = options.demo ? exampleFor(folders, reporter) : undefined;
  if (!serve) await assertServed(gymRoot, folders);
  const { output, ...played } = await play(requestOf(options, model, folders), serve, reporter, signal);
  const rollouts: Rollout[] = [];
  for await (const read of linesOf(output.rollouts)) {
    if ('value' in read) rollouts.push(rolloutOf(read.value, read.line));
  }
  let failed = 0;
  for await (const _ of linesOf(output.failures)) failed += 1;
  if (rollouts.length === 0) {
    throw new UserError('no rollout finished', {
      where: output.shown,
      fix: `read the log: ${path.join(output.shown, 'gym.log')}`,
    });
  }
  const rewards = rollouts.flatMap(({ mask, reward }) => (mask === undefined && reward !== undefined ? [reward] : []));
  const isUnit = rewards.every((reward) => reward >= 0 && reward <= 1);
  return {
    ...played,
    folder: output.shown,
    files: (await readdir(output.path)).sort(),
    summary: summarize(rollouts),
    ...(rewards.length > 0 ? { histogram: histogram(rewards, binsOf(rewards, ROWS, { unit: isUnit })) } : {}),
    failed,
  };
}

function requestOf(options: OptionValues, model: PlayRequest['model'], folders: WrittenFolder[]): PlayRequest {
  const { gymPython } = options;
  return {
    model,
    folders,
    split: options.playSplit,
    limit: options.playLimit,
    repeats: options.repeats ?? OPTIONS.repeats.default,
    concurrency: options.playConcurrency ?? OPTIONS.playConcurrency.default,
    python: gymPython && programPath(gymPython, process.cwd()),
    output: options.playOutput,
  };
}

async function modelOf(options: OptionValues): Promise<PlayRequest['model']> {
  const { modelUrl: url, playModel: model, modelType: type, modelApiKeyEnv: keyEnv, policy } = options;
  if (policy !== undefined) {
    if (model ?? type ?? keyEnv)
      throw new UserError('--policy plays without a model', { fix: 'leave out the --model options' });
    return { policy: await policyOf(policy) };
  }
  if (url === undefined) {
    throw new UserError('no model to play with', {
      fix: 'pass --model-url URL, or --policy idle to play without a model',
    });
  }
  const named = { model, type, keyEnv };
  return { url, ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)) };
}

/** Serves gridsim for its folders. @throws UserError for a folder that was written from something else */
function exampleFor(folders: readonly WrittenFolder[], reporter: Reporter): ServeEnvironment {
  const other = folders.find(({ name }) => !isExample(name));
  if (other) {
    throw new UserError('--demo serves gridsim, but this folder has another environment', {
      where: other.folder,
      fix: `write the example first: ${gymgenCommand`demo gym-root`}`,
    });
  }
  return (signal) => serveExample(reporter, signal);
}

/** The lines of a file; none if it does not exist. */
async function* linesOf(file: string): AsyncGenerator<Line> {
  if (!(await orUndefined(ABSENT, stat(file)))) return;
  for await (const batch of readLines(file)) yield* batch;
}
