import { closest } from '../../closest.js';
import { isRecord } from '../../json/guards.js';
import { LICENSES } from '../datasets.js';
import { quote } from '../finding.js';
import { DOMAINS, RESERVED_KEYS } from '../gym-names.js';
import type { Configs, Instance, UnreadableFile, YamlFile } from './facts.js';
import { MANIFEST, RESOURCES_SERVERS, SERVER_TYPES } from './formats.js';
import { shown } from './manifest.js';
import { type Problem, type Rule, type RuleText, rule } from './rule.js';

const ALMOST = 'Gym stops at a block that looks like a server but is not one (`AlmostServerError`).';

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
    why: `In ${MANIFEST}, the last one silently wins. In a config, OmegaConf rejects it.`,
    when: 'start',
  },
  ({ files, manifest }) =>
    [...(manifest ? [manifest] : []), ...files].flatMap(({ file, repeated }) =>
      repeated.map(({ key, line }) => ({
        at: { file, line },
        subject: `key ${quote(key)}`,
        problem: 'is listed twice',
        fix: 'remove one of them',
      })),
    ),
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
    rule: "domain is one of Gym's domains",
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
    why: 'Gym uses one of them, and references to the other fail.',
    when: 'start',
  },
  ({ types }) =>
    types.length < 2
      ? []
      : [
          {
            top: [types[1] as string],
            subject: 'instance',
            problem: `is ${types.join(' and ')}`,
            fix: 'split it into two instances',
          },
        ],
);

const reserved = onInstance(
  {
    code: 'reserved-name',
    severity: 'error',
    rule: "No instance has the name of one of Gym's own keys",
    why: 'Gym does not start it (`NEMO_GYM_RESERVED_TOP_LEVEL_KEYS`).',
    when: 'start',
  },
  ({ name }) =>
    RESERVED_KEYS.has(name)
      ? [{ top: [], subject: 'instance', problem: "has the name of one of Gym's own keys", fix: 'rename it' }]
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

const DATASET_TYPES = ['train', 'validation', 'example', 'benchmark'];

const datasetEntry = onInstance(
  {
    code: 'dataset-entry',
    severity: 'error',
    rule: 'An entry of datasets has a name, a type, a jsonl_fpath and, for train and validation, a license that Gym knows',
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
