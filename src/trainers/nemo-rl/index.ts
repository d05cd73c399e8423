import { basename, dirname, join, relative } from 'node:path';
import { realPath } from '../../files.js';
import { shellQuote } from '../../printed-command.js';
import type { Finding } from '../../rules/index.js';
import type { Targets } from '../../written/index.js';
import { type Environment, type EnvironmentOptions, readEnvironments } from '../environments.js';
import { assertUsableRoot } from '../usable-root.js';
import { type Checkout, checkoutAt, gymVersion } from './checkout.js';
import { valueAt } from './config-values.js';
import { loadConfig } from './load-config.js';
import { type Base, type ConfigOptions, type Plan, planConfig } from './plan.js';
import { renderConfig } from './render.js';
import { type LongRowOf, planWarnings, rowsOverLength } from './warnings.js';

export type { Environment } from '../environments.js';
export type { ConfigOptions, Plan } from './plan.js';
export type { LongRowOf } from './warnings.js';

export interface NemoRlRequest {
  targets: Targets;
  /** Path of the checkout of NeMo RL. */
  checkout: string;
  /** The config to inherit from; the checkout's own if it is missing. */
  base?: string | undefined;
  /** The folder in which NeMo RL runs; the checkout if it is missing. */
  runFrom?: string | undefined;
  /** Absolute path of the config. */
  file: string;
  rows: Pick<EnvironmentOptions, 'train' | 'validation' | 'noValidation'>;
  config: ConfigOptions;
}

/** A config of NeMo RL, and how to train with it. */
export interface NemoRlConfig {
  text: string;
  plan: Plan;
  environments: Environment[];
  warnings: Finding[];
  /** Rows that are longer than the longest sequence. */
  overLength: { count: number; longest: LongRowOf[] };
  /** Shell commands that start the run, in their order. */
  commands: string[];
}

/**
 * Creates a config that trains on written servers.
 * @throws UserError if NeMo RL would reject the config, or would train on nothing
 */
export async function nemoRlConfig(
  request: NemoRlRequest,
  { signal, progress }: Pick<EnvironmentOptions, 'signal' | 'progress'>,
): Promise<NemoRlConfig> {
  const checkout = await checkoutAt(request.checkout);
  const base = await readBase(checkout, request.base);
  const { gymRoot: root } = request.targets;
  await assertUsableRoot(root);
  const limit = request.config.maxTotalSequenceLength;
  const environments = await readEnvironments(request.targets, { ...request.rows, limit, signal, progress });
  const plan = planConfig(base, environments, request.config);
  const runFrom = await realPath(request.runFrom ?? checkout.path);
  const file = await inRealFolder(request.file);
  const realRoot = await realPath(root);
  const text = renderConfig(base, environments, plan, {
    base: relative(dirname(file), await inRealFolder(base.path)),
    rows: (path) => relative(runFrom, join(realRoot, relative(root, path))),
  });
  return {
    text,
    plan,
    environments,
    warnings: [...(await gymVersion(checkout)), ...planWarnings(base, environments, plan)],
    overLength: rowsOverLength(environments, plan),
    commands: await commandsFor(checkout, realRoot, runFrom, file),
  };
}

/** The path of a file without symlinks in its folder. A symlink to a config stays: its `defaults` are relative to the link. */
async function inRealFolder(file: string): Promise<string> {
  return join(await realPath(dirname(file)), basename(file));
}

async function readBase({ base }: Checkout, named: string | undefined): Promise<Base> {
  const own = await loadConfig(base);
  const dtensor = valueAt(own, 'policy.automodel_cfg') === undefined ? 'dtensor_cfg' : 'automodel_cfg';
  if (named === undefined) return { path: base, values: own, isDefault: true, dtensor };
  return { path: named, values: await loadConfig(named), isDefault: false, dtensor };
}

async function commandsFor(checkout: Checkout, root: string, runFrom: string, file: string): Promise<string[]> {
  const home = await realPath(checkout.path);
  const runner = relative(runFrom, await inRealFolder(checkout.runner));
  const project = runFrom === home ? '' : ` --project ${shellQuote(home)}`;
  const config = relative(runFrom, file);
  const isOfNemoGym = root === (await realPath(checkout.gym));
  return [
    `cd ${shellQuote(runFrom)}`,
    ...(isOfNemoGym ? [] : [`export NEMO_GYM_EXTRA_ROOTS=${shellQuote(root)}`]),
    `uv run${project} python ${shellQuote(runner)} --config ${shellQuote(config)}`,
  ];
}
