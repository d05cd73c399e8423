import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { realPath } from '../../files.js';
import type { OnProgress } from '../../reporter.js';
import { currentSettings, readServerFolder, type WrittenFolder } from '../../written/index.js';
import { declaredSplit, noSplit } from '../splits.js';
import { assertUsableName, assertUsableRoot } from '../usable-root.js';
import { type AgentServers, runningAgents } from './agent-servers.js';
import { type Step, startSteps } from './commands.js';
import { checkFile, type DataFinding, type FileCheck } from './file-check.js';
import { fixedRows } from './fixed-rows.js';
import { type AxolotlNames, axolotlNames } from './names.js';
import { type AxolotlOptions, type AxolotlPlan, axolotlPlan } from './plan.js';
import { type AxolotlFile, agentFiles, renderConfig, renderPolicyModel, renderRolloutLoop } from './render.js';

export type { Step } from './commands.js';
export type { DataFinding } from './file-check.js';
export { isFixedRows } from './fixed-rows.js';
export type { AxolotlOptions, AxolotlPlan } from './plan.js';

/** `plugin`: the NeMo Gym plugin of 0.21.0. `rollout-loop`: the arguments of a later version's rollout loop. */
export type AxolotlForm = 'plugin' | 'rollout-loop';

export interface AxolotlRequest {
  /** Absolute path. */
  gymRoot: string;
  server: WrittenFolder;
  /** The output folder, which need not exist. */
  folder: string;
  form: AxolotlForm;
  /** Whether to write rows that Axolotl's loader does not change, and the agent that plays them. */
  fix: boolean;
  /** Split to train on. */
  train?: string | undefined;
  /** Port of the agent, for the rollout loop; read from the running NeMo Gym if it is missing. */
  port?: number | undefined;
  options: AxolotlOptions;
}

/** One file of rows of the written server. */
export interface DataFile {
  split: string;
  path: string;
  rows: number;
  /** Rows that are longer than the longest sequence, at 4 characters per token. */
  over: number;
  findings: DataFinding[];
}

export interface AxolotlTraining {
  names: AxolotlNames;
  plan: AxolotlPlan;
  /** Split to train on. */
  train: string;
  data: DataFile[];
  files: AxolotlFile[];
  /** Files of fixed rows, which are read while they are written. */
  rowFiles: { path: string; rows: AsyncIterable<string> }[];
  /** URLs of the agents, for the rollout loop. */
  agents?: AgentServers;
  /** What to run, in this order. */
  steps: Step[];
}

export interface AxolotlProgress {
  signal: AbortSignal;
  progress: OnProgress;
}

/**
 * Checks the rows of a written server, and makes what Axolotl needs to train on them.
 * @throws UserError if the root, a file or an option cannot be used
 */
export async function axolotlTraining(
  request: AxolotlRequest,
  { signal, progress }: AxolotlProgress,
): Promise<AxolotlTraining> {
  const { gymRoot, server, form, fix, options, port } = request;
  await assertUsableRoot(gymRoot);
  assertUsableName(server);
  const names = axolotlNames(server.name);
  const { rowFiles } = await readServerFolder(server.folder);
  const train = trainSplit(rowFiles, request);
  const checks = [];
  for (const file of rowFiles) {
    progress({ phase: 'step', what: `checking ${file.split}` });
    const limit = options.maxTotalSequenceLength;
    checks.push({ file, ...(await checkFile(file, { agent: names.written.name, limit, signal })) });
  }
  const trained = checks.find(({ file }) => file.split === train) as (typeof checks)[number];
  const plan = axolotlPlan(
    trained.facts,
    fix ? trained.facts.rows : keptRows(trained),
    await currentSettings(gymRoot, server.name),
    { ...options, model: await modelPath(options.model) },
  );
  const agent = fix ? names.fixed.name : names.written.name;
  const agents = form === 'plugin' ? undefined : await agentsOf(agent, plan, port, signal);
  const [folder, root] = [await realPath(request.folder), await realPath(gymRoot)];
  const rows = fix ? names.rows(train) : relative(folder, join(root, relative(gymRoot, trained.file.path)));
  return {
    names,
    plan,
    train,
    data: checks.map(({ file, facts, findings }) => ({ ...file, rows: facts.rows, over: facts.over, findings })),
    files: [
      agents === undefined ? renderConfig(names, plan, rows) : renderRolloutLoop(names, plan, agents),
      renderPolicyModel(names, plan),
      ...(fix ? agentFiles(names, plan) : []),
    ],
    rowFiles: fix
      ? rowFiles.map((file) => ({ path: names.rows(file.split), rows: fixedRows(file, names, signal) }))
      : [],
    ...(agents ? { agents } : {}),
    steps: startSteps(names, plan, { gymRoot: root, folder, form, fix, port }),
  };
}

/** The split that is named or declared; else `train`, or the only one. */
function trainSplit(rowFiles: readonly { split: string }[], { train, server }: AxolotlRequest): string {
  const [only, ...others] = rowFiles;
  const usual = only && others.length === 0 ? only.split : 'train';
  const found = train ?? declaredSplit(server.lock.options?.datasets, 'train') ?? usual;
  if (rowFiles.some(({ split }) => split === found)) return found;
  throw noSplit(server.folder, found, rowFiles);
}

/** Axolotl runs in the output folder, and vLLM anywhere, so a folder is named by its absolute path. */
async function modelPath(model: string | undefined): Promise<string | undefined> {
  if (model === undefined) return undefined;
  const found = await stat(model).catch(() => undefined);
  return found?.isDirectory() ? realPath(model) : model;
}

/** The rows that the loader keeps. */
function keptRows({ facts, findings }: FileCheck): number {
  const lost = findings.filter(({ code }) => code === 'axolotl-equal-messages' || code === 'axolotl-text-input');
  return facts.rows - lost.reduce((sum, { rows }) => sum + rows.count, 0);
}

async function agentsOf(
  agent: string,
  { headPort }: AxolotlPlan,
  port: number | undefined,
  signal: AbortSignal,
): Promise<AgentServers> {
  return port === undefined ? runningAgents(headPort, agent, signal) : { [agent]: `http://127.0.0.1:${port}` };
}
