import { isRecord } from '../../json/guards.js';
import { quote } from '../finding.js';
import { type GymRoot, gymRoot } from '../gym-root.js';
import { settings as settingsRule } from '../settings.js';
import { CONFIG_RULES, onInstance } from './configs.js';
import type { Configs, Instance, ServerFolder, UnreadableFile } from './facts.js';
import { RESOURCES_SERVERS } from './formats.js';
import { ROOT_REFERENCE_RULES } from './references.js';
import { type Problem, type Rule, rule } from './rule.js';
import { SERVER_RULES } from './server-folder.js';

/** A Gym root, as far as it could be read. */
export interface RootFacts extends Configs {
  unreadable: readonly UnreadableFile[];
  /** The servers of all folders, not only those that are judged. */
  allServers: readonly ServerFolder[];
  gymRoot: GymRoot;
}

const root = rule<RootFacts>(
  {
    code: 'gym-root',
    severity: 'error',
    rule: "The root is not another Python project or a NeMo Gym before 0.7, and Gym's command line accepts its path",
    why: 'Gym installs a root with pyproject.toml as nemo-gym, and passes paths to Hydra unquoted.',
    when: 'start',
  },
  ({ gymRoot: facts }) =>
    gymRoot(facts).map(({ subject, problem, fix }): Problem => ({ at: { file: '' }, subject, problem, fix })),
);

/** The folder of an instance that gymgen wrote. */
function writtenBy({ type, implementations: [name] }: Instance, { servers }: Configs): ServerFolder | undefined {
  if (type !== RESOURCES_SERVERS) return undefined;
  return servers.find((server) => server.name === name && server.files.has('gymgen.lock.json'));
}

const workers = onInstance<RootFacts>(
  {
    code: 'bridge-workers',
    severity: 'error',
    rule: 'A resources server that gymgen wrote has one worker',
    why: 'Its sessions live in the memory of one process. The server refuses to start with more workers.',
    when: 'start',
  },
  (instance, facts) => {
    const { num_workers: workers } = instance.settings;
    if (writtenBy(instance, facts) === undefined || typeof workers !== 'number' || workers <= 1) return [];
    return [{ key: ['num_workers'], subject: 'num_workers', problem: `is ${workers}`, fix: 'remove it' }];
  },
);

const settingValue = onInstance<RootFacts>(
  {
    code: 'setting-value',
    severity: 'error',
    rule: 'Settings of a resources server that gymgen wrote have valid values',
    why: 'The server refuses to start with others (openenv_bridge/config.py).',
    when: 'start',
  },
  (instance, facts) => {
    if (writtenBy(instance, facts) === undefined) return [];
    return settingsRule(withoutNull(instance.settings), (key) => key).map(({ subject, problem, fix }) => {
      return { key: [subject], subject, problem, fix };
    });
  },
);

function withoutNull(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null && !isRecord(value)));
}

const configName = rule<RootFacts>(
  {
    code: 'config-name',
    severity: 'error',
    rule: 'The config of a folder that gymgen wrote defines the server, its agent and its environment server',
    why: 'Rows name the agent, and `gym env start` starts what the config defines.',
    when: 'start',
  },
  ({ servers, instances, unreadable }) =>
    servers
      .filter(({ files }) => files.has('gymgen.lock.json'))
      .filter(({ path }) => !unreadable.some(({ file }) => file.startsWith(`${path}/`)))
      .flatMap(({ path, name }) =>
        [name, `${name}_simple_agent`, `${name}_environment_server`]
          .filter((wanted) => !instances.some((one) => one.name === wanted))
          .map((wanted): Problem => {
            const at = { file: `${path}/configs/${name}.yaml` };
            return {
              at,
              subject: `instance ${quote(wanted)}`,
              problem: 'is not in the config',
              fix: 'write the folder again',
            };
          }),
      ),
);

export const ROOT_RULES: readonly Rule<RootFacts>[] = [
  root,
  ...CONFIG_RULES,
  ...ROOT_REFERENCE_RULES,
  ...SERVER_RULES,
  workers,
  settingValue,
  configName,
];
