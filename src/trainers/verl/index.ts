import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import Handlebars from 'handlebars';
import template from '../../../templates/trainers/verl.yaml.hbs';
import { UserError } from '../../errors.js';
import { realPath } from '../../files.js';
import { shellQuote } from '../../printed-command.js';
import type { Targets } from '../../written/index.js';
import { type Environment, type EnvironmentOptions, readEnvironments } from '../environments.js';
import { assertUsableRoot } from '../usable-root.js';
import { DATASET, type VerlOptions, verlModel, verlOverrides } from './plan.js';

export type { VerlOptions } from './plan.js';

/** Paths in a checkout of verl that its recipe has. */
const RECIPE = [DATASET, 'recipe/nemo_gym/agent_loop.py'];

export interface VerlRequest {
  targets: Targets;
  /** Path of the checkout of verl. */
  checkout: string;
  /** Absolute path of the file to write. */
  file: string;
  rows: Pick<EnvironmentOptions, 'train' | 'validation' | 'noValidation'>;
  options: VerlOptions;
}

/** What verl needs to train on written servers. */
export interface VerlConfig {
  text: string;
  environments: Environment[];
  /** Overrides for `python3 -m verl.trainer.main_ppo`, quoted for a shell. */
  overrides: string[];
  /** Shell commands that come before it. */
  commands: string[];
}

/**
 * Creates the file that verl's recipe reads, and the overrides that select the file.
 * @throws UserError if the recipe could not read the rows, or would train on none
 */
export async function verlConfig(
  { targets, checkout, file, rows, options }: VerlRequest,
  { signal, progress }: Pick<EnvironmentOptions, 'signal' | 'progress'>,
): Promise<VerlConfig> {
  await assertRecipe(checkout);
  await assertUsableRoot(targets.gymRoot);
  const model = verlModel(options); // before the rows are read, which may take a while
  const environments = await readEnvironments(targets, { ...rows, problemOf, signal, progress });
  const root = await realPath(targets.gymRoot);
  const overrides = verlOverrides(environments, model, options, {
    file: await realPath(file),
    rows: (path) => join(root, relative(targets.gymRoot, path)),
  });
  return {
    text: renderServers(environments),
    environments,
    overrides: overrides.map(shellQuote),
    commands: [
      `cd ${shellQuote(await realPath(checkout))}`,
      `export NEMO_GYM_EXTRA_ROOTS=${shellQuote(root)}`,
      'export NEMO_GYM_ROOT=/path/to/Gym',
    ],
  };
}

async function assertRecipe(checkout: string): Promise<void> {
  for (const file of RECIPE) {
    const found = await stat(join(checkout, file)).catch(() => undefined);
    if (found?.isFile()) continue;
    throw new UserError(`not a checkout of verl with its recipes: no ${file}`, {
      where: checkout,
      fix: 'git clone --recurse-submodules https://github.com/verl-project/verl, and name that folder',
    });
  }
}

/** The data set reads each message's role and content (recipe/nemo_gym/dataset.py:54). */
function problemOf({ responses_create_params: params }: Record<string, unknown>): string | undefined {
  const input = (params as { input?: unknown } | null)?.input;
  return Array.isArray(input) ? undefined : 'input is not a list of messages';
}

/** The file that the recipe reads. Names of servers are identifiers, so nothing in it needs quotes. */
function renderServers(environments: readonly Environment[]): string {
  return Handlebars.create().template(template)({ configs: environments.map(({ config }) => config) });
}
