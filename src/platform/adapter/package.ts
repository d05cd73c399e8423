import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../../../templates/package/nemo-environment.yaml.hbs';
import policyModel from '../../../templates/package/policy_model.yaml.hbs';
import verifiersAgent from '../../../templates/package/verifiers_agent.yaml.hbs';
import { UserError } from '../../errors.js';
import { fillTemplate } from '../../gym/index.js';
import type { WholeFile } from '../../output/index.js';
import { ADAPTER } from '../templates.js';
import type { OwnWheel, PackagedServer } from '../types.js';
import { buildWheel } from './wheel.js';
import type { ZipEntry } from './zip.js';

/** What the wheel imports. NeMo Gym is the image's, so it is not among them. */
const REQUIRES = ['verifiers>=0.3.1,<0.4', 'aiohttp', 'datasets', 'orjson', 'pydantic', 'yarl'];

/** The id of the environment, from the start of the file set's name. No package on an index has such a module. */
export function environmentId(base: string): string {
  return `${base}-openenv`;
}

/** The files of an adapter-wheels-v1 package, without its wheels. */
export function adapterFiles(base: string, servers: readonly PackagedServer[], maxTokens: number): WholeFile[] {
  const vfEnvId = environmentId(base);
  const blocks = servers.map(({ name, settings }) => [name, { ...settings.block, ...maxSteps(settings.maxSteps) }]);
  const agent = {
    vfEnvId,
    servers: JSON.stringify(Object.fromEntries(blocks)),
    maxTokens,
    description: `Tasks of ${servers.map(({ name }) => name).join(', ')}, served by OpenEnv`,
  };
  const configs = [
    { path: 'configs/policy_model.yaml', content: fillTemplate(policyModel, {}) },
    { path: 'configs/verifiers_agent.yaml', content: fillTemplate(verifiersAgent, agent) },
  ];
  const values = {
    format: 'adapter-wheels-v1',
    name: base,
    configPaths: configs.map((file) => file.path),
    adapter: true,
  };
  return [{ path: 'nemo-environment.yaml', content: fillTemplate(manifest, { ...values, vfEnvId }) }, ...configs];
}

const maxSteps = (limit: number | undefined) => (limit === undefined ? {} : { max_steps: limit });

/**
 * The wheel with the environment: the adapter, and the bridge of the written folders with its edits.
 * @throws UserError if the folders have different bridges
 */
export async function environmentWheel(base: string, servers: readonly PackagedServer[]): Promise<OwnWheel> {
  const module = environmentId(base).replaceAll('-', '_');
  const [bridge = [], ...others] = await Promise.all(servers.map(bridgeOf));
  const isSame = (other: ZipEntry[]) =>
    other.length === bridge.length && other.every(({ content }, at) => bridge[at]?.content.equals(content));
  const different = others.findIndex((other) => !isSame(other));
  if (different !== -1) {
    throw new UserError('the folders have different versions of openenv_bridge', {
      where: servers[different + 1]?.folder ?? '',
      fix: 'update the older one: gymgen update <gym-root>; or write a package for each',
    });
  }
  const { requirement: _, ...wheel } = buildWheel({
    project: module,
    requires: REQUIRES,
    files: [
      { path: `${module}.py`, content: readFileSync(path.join(ADAPTER, 'environment.py')) },
      ...adapterCode(),
      ...bridge,
    ],
  });
  return wheel; // no server's venv installs it: the job's first install does
}

async function bridgeOf({ files }: PackagedServer): Promise<ZipEntry[]> {
  const bridge = files.filter((file) => file.path.startsWith('openenv_bridge/'));
  return Promise.all(bridge.map(async ({ path: at, copy }) => ({ path: at, content: await readFile(copy) })));
}

function adapterCode(): ZipEntry[] {
  const names = readdirSync(path.join(ADAPTER, 'openenv_verifiers')).filter((name) => name.endsWith('.py'));
  return names.sort().map((name) => ({
    path: `openenv_verifiers/${name}`,
    content: readFileSync(path.join(ADAPTER, 'openenv_verifiers', name)),
  }));
}
