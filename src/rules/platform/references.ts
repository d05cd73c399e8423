import { closest } from '../../closest.js';
import { isRecord } from '../../json/guards.js';
import { quote } from '../finding.js';
import type { Configs, Instance, PackageFacts } from './facts.js';
import {
  AGENTS,
  ENVIRONMENT_SERVERS,
  MANIFEST,
  MODELS,
  POLICY_MODEL,
  RESOURCES_SERVERS,
  SERVER_TYPES,
  type ServerType,
} from './formats.js';
import { lineNear } from './manifest.js';
import { type Problem, type Rule, type RuleText, rule } from './rule.js';

/** A setting that names another instance. */
export interface Reference {
  field: string;
  type: ServerType;
  name: string;
}

/** The references of a server: settings with a type and a name (`is_server_ref`, nemo_gym/config_types.py). */
export function referencesOf({ settings }: Pick<Instance, 'settings'>): Reference[] {
  return Object.entries(settings).flatMap(([field, value]) => {
    if (!isRecord(value) || typeof value.name !== 'string' || isOpen(value.name)) return [];
    const type = SERVER_TYPES.find((one) => one === value.type);
    return type === undefined ? [] : [{ field, type, name: value.name }];
  });
}

/** Whether a name is passed later, or comes from another value. */
function isOpen(name: string): boolean {
  return name === '???' || name.includes('${');
}

const WHY = 'Gym refuses to start with a reference to an unknown instance (`ServerRefNotFoundError`).';

/** A rule about references to one type of server. */
function toType(type: ServerType, code: string, what: string): Rule<Configs> {
  const text: RuleText = {
    code,
    severity: 'error',
    rule: `A reference to ${what} names an instance`,
    why: WHY,
    when: 'start',
  };
  return rule(text, (facts: Configs) =>
    facts.instances.flatMap((instance) =>
      referencesOf(instance)
        .filter((reference) => reference.type === type && isUnknown(reference, facts))
        .filter(({ name }) => !isOfOtherType(name, type, facts.instances))
        .map((reference) => unknown(instance, reference, facts)),
    ),
  );
}

function isUnknown({ type, name }: Reference, { instances, others }: Configs): boolean {
  if (type === MODELS && name === POLICY_MODEL) return false; // `policy-model-missing`
  return !instances.some((one) => one.name === name && one.types.includes(type)) && !others.has(`${type}/${name}`);
}

function isOfOtherType(name: string, type: ServerType, instances: readonly Instance[]): boolean {
  return instances.some((one) => one.name === name && !one.types.includes(type));
}

function unknown(instance: Instance, { field, type, name }: Reference, { instances }: Configs): Problem {
  const known = instances.filter((one) => one.types.includes(type));
  const implemented = known.find((one) => one.implementations.includes(name));
  const near =
    implemented?.name ??
    closest(
      name,
      known.map((one) => one.name),
    );
  const names = known
    .slice(0, 10)
    .map((one) => quote(one.name))
    .join(', ');
  return {
    at: placeOf(instance, field),
    subject: `${field} of ${quote(instance.name)}`,
    problem: `names ${quote(name)}, which is not an instance of ${type}${implemented ? ' but an implementation' : ''}`,
    fix: near === undefined ? `name one of: ${names || '(none)'}` : `did you mean ${quote(near)}?`,
  };
}

function placeOf({ config, keys }: Instance, field: string): Problem['at'] {
  return { file: config.file, line: config.line([...keys, field, 'name']) ?? config.line([...keys, field]) };
}

const otherType = rule<Configs>(
  {
    code: 'ref-type',
    severity: 'error',
    rule: 'A reference has the type of the instance that it names',
    why: WHY,
    when: 'start',
  },
  ({ instances, others }) =>
    instances.flatMap((instance) =>
      referencesOf(instance).flatMap(({ field, type, name }) => {
        const same = instances.filter((one) => one.name === name);
        if (same.length === 0 || same.some((one) => one.types.includes(type)) || others.has(`${type}/${name}`))
          return [];
        const problem = `has type ${type}, but ${quote(name)} has type ${same[0]?.type}`;
        const fix = `write type: ${same[0]?.type}, or name another instance`;
        return [{ at: placeOf(instance, field), subject: `${field} of ${quote(instance.name)}`, problem, fix }];
      }),
    ),
);

const environments = rule<Configs>(
  {
    code: 'two-environment-servers',
    severity: 'error',
    rule: 'An agent has one environment server',
    why: 'Rows name the agent, and Gym cannot choose between several (`AmbiguousEnvironmentServerError`).',
    when: 'rollout',
  },
  ({ instances }) => {
    const first = new Map<string, string>();
    return instances
      .filter(({ type, isPartial }) => type === ENVIRONMENT_SERVERS && !isPartial)
      .flatMap((instance) =>
        referencesOf(instance)
          .filter(({ type }) => type === AGENTS)
          .flatMap(({ field, name }) => {
            const other = first.get(name);
            first.set(name, other ?? instance.name);
            if (other === undefined || other === instance.name) return [];
            const problem = `names agent ${quote(name)}, as ${quote(other)} does`;
            const subject = `environment server ${quote(instance.name)}`;
            return [{ at: placeOf(instance, field), subject, problem, fix: 'remove one of the two' }];
          }),
      );
  },
);

const policyMissing = rule<PackageFacts>(
  {
    code: 'policy-model-missing',
    severity: 'error',
    rule: `A config of the package defines ${POLICY_MODEL}, except for evals`,
    why: 'Agents get the replies of the trained model from it (`ServerRefNotFoundError`).',
    when: 'start',
  },
  ({ manifest, instances, target }) => {
    if (manifest === undefined || target === 'evals' || instances.length === 0) return [];
    if (instances.some(({ name, types }) => name === POLICY_MODEL && types.includes(MODELS))) return [];
    const at = { file: MANIFEST, line: lineNear(manifest, ['config_paths']) };
    const fix = `add ${MODELS}/vllm_model/configs/policy_model.yaml, and list it first`;
    return [{ at, subject: POLICY_MODEL, problem: 'is not defined by any config', fix }];
  },
);

/** References of a Gym root, whose models other configs define. */
export const ROOT_REFERENCE_RULES: readonly Rule<Configs>[] = [
  toType(RESOURCES_SERVERS, 'ref-resources', 'a resources server'),
  toType(AGENTS, 'ref-agent', 'an agent'),
  otherType,
];

export const REFERENCE_RULES: readonly Rule<PackageFacts>[] = [
  ...ROOT_REFERENCE_RULES,
  toType(MODELS, 'ref-model', 'a model'),
  toType(ENVIRONMENT_SERVERS, 'ref-environment', 'an environment server'),
  environments,
  policyMissing,
];
