import { closest } from '../../closest.js';
import { isRecord } from '../../json/guards.js';
import { LICENSES } from '../datasets.js';
import { quote } from '../finding.js';
import { DOMAINS, RESERVED_KEYS } from '../gym-names.js';
import type { Configs, Instance, PackageFacts, UnreadableFile, YamlFile } from './facts.js';
import { CONFIG_BYTES, MANIFEST, RESOURCES_SERVERS, SERVER_TYPES } from './formats.js';
import { shown } from './manifest.js';
import { type Problem, type Rule, type RuleText, rule } from './rule.js';

const ALMOST = 'Gym stops at a block that looks like a server and is not one (`AlmostServerError`).';

/** Whether a top-level entry of a config is an instance of a server. */
export function isInstance(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && SERVER_TYPES.some((type) => isRecord(value[type]));
}

const yaml = rule<{ unreadable: readonly UnreadableFile[] }>(
  {
    code: 'config-yaml',
    severity: 'error',
    rule: 'A config is valid YAML of bounded size',
    why: 'Gym reads it with PyYAML (`_load_config_yaml`, nemo_gym/global_config.py).',
    when: 'start',
  },
  ({ unreadable }) =>
    unreadable
      .filter(({ file }) => file !== MANIFEST)
      .map(({ file, line, problem }) => ({
        at: { file, line },
        subject: quote(file),
        problem,
        fix: 'correct the file',
      })),
);

const list = onConfig(
  {
    code: 'config-list',
    severity: 'error',
    rule: 'A config is a map',
    why: 'Gym merges the configs by their top-level keys.',
    when: 'start',
  },
  ({ file, value }) =>
    value === null || isRecord(value)
      ? []
      : [{ at: { file, line: 1 }, subject: quote(file), problem: 'is not a map', fix: 'write NAME: at the top level' }],
);

const repeated = rule<Configs & { manifest?: YamlFile | undefined }>(
  {
    code: 'yaml-key-twice',
    severity: 'error',
    rule: 'No map of a YAML file has a key twice',
    why: `In ${MANIFEST}, the last one counts in silence. In a config, OmegaConf refuses it.`,
    when: 'start',
  },
  ({ files, manifest }) =>
    [...(manifest ? [manifest] : []), ...files].flatMap(({ file, repeated }) =>
      repeated.map(({ key, line }) => ({
        at: { file, line },
        subject: `key ${quote(key)}`,
        problem: 'stands twice',
        fix: 'remove one of them',
      })),
    ),
);

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

const domainMissing = onInstance(
  {
    code: 'domain-missing',
    severity: 'error',
    rule: 'A resources server has a domain',
    why: ALMOST,
    when: 'start',
  },
  ({ type, settings }) =>
    type === RESOURCES_SERVERS && 'entrypoint' in settings && (settings.domain ?? null) === null
      ? [{ key: [], subject: 'domain', problem: 'is missing', fix: `add domain: ${[...DOMAINS].join(', ')}` }]
      : [],
);

const domainUnknown = onInstance(
  {
    code: 'domain-unknown',
    severity: 'error',
    rule: "domain is one of Gym's",
    why: `${ALMOST} The list is \`Domain\` (nemo_gym/config_types.py).`,
    when: 'start',
  },
  ({ settings: { domain } }) => {
    if ((domain ?? null) === null || isInterpolated(domain)) return [];
    if (typeof domain === 'string' && DOMAINS.has(domain)) return [];
    const near = typeof domain === 'string' ? closest(domain, [...DOMAINS]) : undefined;
    const fix = near === undefined ? `use one of ${[...DOMAINS].join(', ')}` : `did you mean ${near}?`;
    return [{ key: ['domain'], subject: 'domain', problem: `is ${shown(domain)}`, fix }];
  },
);

const agentDomain = onInstance<PackageFacts>(
  {
    code: 'agent-domain',
    severity: 'warning',
    rule: 'Only a resources server has a domain',
    why: 'Gym drops it from other servers (`validate_domain_for_resources_server`).',
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
    why: 'Without one, Gym takes the block for plain values, and references to the server fail.',
    when: 'start',
  },
  ({ settings, name }, { instances }) => {
    const isElsewhere = instances.some((one) => one.name === name && 'entrypoint' in one.settings);
    if (isElsewhere || typeof settings.entrypoint === 'string') return [];
    return [{ key: [], subject: 'entrypoint', problem: 'is missing', fix: 'add entrypoint: app.py' }];
  },
);

const implementations = onInstance(
  {
    code: 'two-implementations',
    severity: 'error',
    rule: 'An instance has one implementation',
    why: ALMOST,
    when: 'start',
  },
  ({ type, implementations }) => {
    if (implementations.length === 1) return [];
    const names = implementations.slice(0, 3).map(quote).join(', ');
    const problem = implementations.length === 0 ? 'has no implementation' : `has several implementations: ${names}`;
    return [{ top: [type], subject: type, problem, fix: 'give each instance one implementation' }];
  },
);

const types = onInstance(
  {
    code: 'two-types',
    severity: 'error',
    rule: 'An instance has one server type',
    why: 'Gym takes one of them, and references to the other fail.',
    when: 'start',
  },
  ({ types }) =>
    types.length < 2
      ? []
      : [{ top: [types[1] as string], subject: 'instance', problem: `is ${types.join(' and ')}`, fix: 'make it two' }],
);

const reserved = onInstance(
  {
    code: 'reserved-name',
    severity: 'error',
    rule: "No instance is named like one of Gym's own keys",
    why: 'Gym does not start it (`NEMO_GYM_RESERVED_TOP_LEVEL_KEYS`).',
    when: 'start',
  },
  ({ name }) =>
    RESERVED_KEYS.has(name)
      ? [{ top: [], subject: 'instance', problem: "has the name of a key of Gym's", fix: 'rename it' }]
      : [],
);

const characters = onInstance(
  {
    code: 'instance-name',
    severity: 'error',
    rule: 'The name of an instance has only letters, digits, _, - and .',
    why: 'It is part of the name of the session cookie (`setup_session_middleware`, nemo_gym/server_utils.py).',
    when: 'rollout',
  },
  ({ name }) =>
    /^[\w.-]+$/.test(name)
      ? []
      : [{ top: [], subject: 'instance', problem: 'has a name that breaks the session cookie', fix: 'rename it' }],
);

const twice = rule<PackageFacts>(
  {
    code: 'instance-twice',
    severity: 'error',
    rule: 'An instance is in one config of a package',
    why: 'Gym merges the two in silence, so that the later one wins. The host of evals refuses it.',
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

const DATASET_TYPES = ['train', 'validation', 'example', 'benchmark'];

const datasetEntry = onInstance(
  {
    code: 'dataset-entry',
    severity: 'error',
    rule: 'An entry of datasets has a name, a type, a jsonl_fpath and, to train or validate, a license that Gym knows',
    why: `${ALMOST} The model is \`DatasetConfig\` (nemo_gym/config_types.py).`,
    when: 'start',
  },
  ({ settings: { datasets } }) =>
    (Array.isArray(datasets) ? datasets : []).flatMap((entry: unknown, at) => {
      const found = datasetFault(entry);
      return found === undefined ? [] : [{ key: ['datasets', String(at)], subject: `datasets[${at}]`, ...found }];
    }),
);

function datasetFault(entry: unknown): { problem: string; fix: string } | undefined {
  if (!isRecord(entry)) return { problem: 'is not a map', fix: 'write name, type and jsonl_fpath' };
  const missing = ['name', 'type', 'jsonl_fpath'].find((key) => typeof entry[key] !== 'string');
  if (missing !== undefined) return { problem: `has ${missing} ${shown(entry[missing])}`, fix: `add ${missing}` };
  const { type, license = null } = entry;
  if (!DATASET_TYPES.includes(type as string)) {
    return { problem: `has type ${shown(type)}`, fix: `use one of ${DATASET_TYPES.join(', ')}` };
  }
  if (type === 'benchmark' || isInterpolated(license)) return undefined;
  if (license === null ? type === 'example' : (LICENSES as readonly unknown[]).includes(license)) return undefined;
  const all = LICENSES.map((one) => `"${one}"`).join(', ');
  return { problem: `has license ${license === null ? 'missing' : shown(license)}`, fix: `use one of ${all}` };
}

const size = rule<Configs>(
  {
    code: 'config-128k',
    severity: 'error',
    rule: 'All configs together have less than 128 KiB',
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

interface FoundInInstance extends Omit<Problem, 'at'> {
  /** Keys below the settings. */
  key?: readonly string[];
  /** Keys below the instance, instead of `key`. */
  top?: readonly string[];
}

/** A rule about each instance. Instances that only Gym's parser resolves are skipped. */
export function onInstance<Facts extends Configs = Configs>(
  text: RuleText,
  judge: (instance: Instance, facts: Facts) => readonly FoundInInstance[],
): Rule<Facts> {
  return rule(text, (facts: Facts) =>
    facts.instances.flatMap((instance) =>
      instance.isPartial ? [] : judge(instance, facts).map((found) => placed(instance, found)),
    ),
  );
}

function placed({ name, config, keys }: Instance, { key = [], top, subject, problem, fix }: FoundInInstance): Problem {
  const path = top === undefined ? [...keys, ...key] : [name, ...top];
  const line = config.line(path) ?? config.line(keys) ?? config.line([name]);
  return { at: { file: config.file, line }, subject: `${subject} of ${quote(name)}`, problem, fix };
}

function onConfig(text: RuleText, judge: (config: YamlFile) => Problem[]): Rule<Configs> {
  return rule(text, ({ files }: Configs) => files.flatMap(judge));
}

function isInterpolated(value: unknown): boolean {
  return typeof value === 'string' && (value.includes('${') || value === '???');
}

/** For a Gym root and for a package. */
export const CONFIG_RULES: readonly Rule<Configs & { unreadable: readonly UnreadableFile[] }>[] = [
  yaml,
  list,
  repeated,
  domainMissing,
  domainUnknown,
  implementations,
  types,
  reserved,
  characters,
  datasetEntry,
];

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
