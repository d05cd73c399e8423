import { isRecord } from '../../json/guards.js';
import { quote } from '../finding.js';
import { onInstance } from './configs.js';
import type { Configs, PackageFacts } from './facts.js';
import { CONFIG_BYTES, RESOURCES_SERVERS } from './formats.js';
import { type Rule, rule } from './rule.js';

const empty = rule<PackageFacts>(
  {
    code: 'config-empty',
    severity: 'error',
    rule: 'A config of a package defines an instance',
    why: 'Without one, the agents of the rows are unknown.',
    when: 'rollout',
  },
  ({ files, instances }) =>
    files
      .filter(({ value }) => value === null || (isRecord(value) && Object.keys(value).length === 0))
      .concat(
        instances.length === 0 ? files.filter(({ value }) => isRecord(value) && Object.keys(value).length > 0) : [],
      )
      .map(({ file }) => ({
        at: { file, line: 1 },
        subject: quote(file),
        problem: 'defines no server',
        fix: 'write the config, or remove it from config_paths',
      })),
);

const agentDomain = onInstance<PackageFacts>(
  {
    code: 'agent-domain',
    severity: 'warning',
    rule: 'Only a resources server has a domain',
    why: 'Gym removes it from other servers (`validate_domain_for_resources_server`).',
    when: 'never',
  },
  ({ type, settings, implementations: [name] }) =>
    // The Platform's converter writes one, because its own schema has it (`VerifiersAgentInstanceConfig`).
    type !== RESOURCES_SERVERS && 'domain' in settings && name !== 'verifiers_agent'
      ? [{ key: ['domain'], subject: 'domain', problem: 'has no effect here', fix: 'move it to the resources server' }]
      : [],
);

const entrypoint = onInstance<PackageFacts>(
  {
    code: 'entrypoint-missing',
    severity: 'error',
    rule: 'Each server of a package has an entrypoint',
    why: 'Without one, Gym treats the block as plain values, and references to the server fail.',
    when: 'start',
  },
  ({ settings, name }, { instances }) => {
    const isElsewhere = instances.some((one) => one.name === name && 'entrypoint' in one.settings);
    if (isElsewhere || typeof settings.entrypoint === 'string') return [];
    return [{ key: [], subject: 'entrypoint', problem: 'is missing', fix: 'add entrypoint: app.py' }];
  },
);

const twice = rule<PackageFacts>(
  {
    code: 'instance-twice',
    severity: 'error',
    rule: 'An instance is in one config of a package',
    why: 'Gym silently merges the two, and the later one wins. The evals host rejects it.',
    when: 'training',
  },
  ({ instances }) =>
    instances.flatMap(({ name, config }, index) => {
      const first = instances.slice(0, index).find((one) => one.name === name);
      if (first === undefined || first.config.file === config.file) return [];
      const problem = `is in ${quote(first.config.file)}, too`;
      return [
        {
          at: { file: config.file, line: config.line([name]) },
          subject: `instance ${quote(name)}`,
          problem,
          fix: 'rename or remove one of them',
        },
      ];
    }),
);

const workers = onInstance<PackageFacts>(
  {
    code: 'num-workers',
    severity: 'error',
    rule: 'A resources server has one worker',
    why: 'Sessions live in the memory of one process, and the next request may reach another one.',
    when: 'rollout',
  },
  ({ type, settings: { num_workers: workers } }) =>
    type === RESOURCES_SERVERS && typeof workers === 'number' && workers > 1
      ? [{ key: ['num_workers'], subject: 'num_workers', problem: `is ${workers}`, fix: 'remove it' }]
      : [],
);

const datasets = onInstance<PackageFacts>(
  {
    code: 'datasets',
    severity: 'warning',
    rule: 'The configs of a package have no datasets',
    why: 'A job takes its rows from the dataset; the files that the block names are not in the package.',
    when: 'never',
  },
  ({ settings }) =>
    'datasets' in settings
      ? [{ key: ['datasets'], subject: 'datasets', problem: 'names files that are not in a package', fix: 'remove it' }]
      : [],
);

const size = rule<Configs>(
  {
    code: 'config-128k',
    severity: 'error',
    rule: 'All configs together are smaller than 128 KiB',
    why: 'Gym passes them in one environment variable (`NEMO_GYM_CONFIG_DICT`), which Linux limits.',
    when: 'start',
  },
  ({ files }) => {
    const sizes = files.map(({ file, value }) => ({ file, bytes: Buffer.byteLength(JSON.stringify(value ?? null)) }));
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    const largest = sizes.sort((one, other) => other.bytes - one.bytes)[0];
    if (largest === undefined || total < CONFIG_BYTES) return [];
    const problem = `has ${largest.bytes} bytes of ${total} in all configs; Gym passes up to ${CONFIG_BYTES}`;
    return [{ at: { file: largest.file, line: 1 }, subject: quote(largest.file), problem, fix: 'shorten it' }];
  },
);

/** Only for a package, whose configs are complete. */
export const PACKAGE_CONFIG_RULES: readonly Rule<PackageFacts>[] = [
  empty,
  agentDomain,
  entrypoint,
  twice,
  workers,
  datasets,
  size,
];
