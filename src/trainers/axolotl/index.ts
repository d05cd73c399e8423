import { join, relative } from 'node:path';
import { UserError } from '../../errors.js';
import { realPath } from '../../files.js';
import { describe, gymRoot as gymRootRule } from '../../rules/index.js';
import { currentSettings, readGymRoot, readServerFolder, type WrittenFolder } from '../../written/index.js';
import { type AgentServers, runningAgents } from './agent-servers.js';
import { type Step, startSteps } from './commands.js';
import { checkFile, type DataFinding } from './file-check.js';
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
  /** Rows that are longer than the longest sequence, at 4 characters a token. */
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
  progress: (text: string) => void;
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
  const names = axolotlNames(server.name);
  const { rowFiles } = await readServerFolder(server.folder);
  const train = trainSplit(rowFiles, request);
  const checks = [];
  for (const file of rowFiles) {
    progress(`checking ${file.split}`);
    const limit = options.maxTotalSequenceLength;
    checks.push({ file, ...(await checkFile(file, { agent: names.written.name, limit, signal })) });
  }
  const trained = checks.find(({ file }) => file.split === train) as (typeof checks)[number];
  const plan = axolotlPlan(trained.facts, await currentSettings(gymRoot, server.name), options);
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

/** The root may have been moved to a path that NEMO_GYM_EXTRA_ROOTS cannot name. */
async function assertUsableRoot(root: string): Promise<void> {
  const findings = gymRootRule(await readGymRoot(root)).filter(({ code }) => code === 'root-path');
  if (findings.length === 0) return;
  throw new UserError('NeMo Gym cannot use this Gym root', { where: root, details: findings.map(describe) });
}

function trainSplit(rowFiles: readonly { split: string }[], { train, server }: AxolotlRequest): string {
  const splits = rowFiles.map(({ split }) => split);
  const found = train ?? (splits.length === 1 ? splits[0] : 'train');
  if (found !== undefined && splits.includes(found)) return found;
  throw new UserError(`no rows of split ${JSON.stringify(found)} to train on`, {
    where: server.folder,
    fix: `add --train SPLIT; the splits are ${splits.join(', ') || 'none'}`,
  });
}

async function agentsOf(
  agent: string,
  { headPort }: AxolotlPlan,
  port: number | undefined,
  signal: AbortSignal,
): Promise<AgentServers> {
  return port === undefined ? runningAgents(headPort, agent, signal) : { [agent]: `http://127.0.0.1:${port}` };
}
