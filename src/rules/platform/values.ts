import { isRecord } from '../../json/guards.js';
import { quote } from '../finding.js';
import type { Instance, PackageFacts, YamlFile } from './facts.js';
import { JOB_KEYS, POLICY_MODEL } from './formats.js';
import { type Problem, type Rule, type RuleText, rule } from './rule.js';

/** A text in a config, and the keys that lead to it. */
export interface ConfigText {
  text: string;
  keys: readonly (string | number)[];
}

/** All texts below a value. */
export function* textsIn(value: unknown, keys: readonly (string | number)[] = []): Generator<ConfigText> {
  if (typeof value === 'string') yield { text: value, keys };
  else if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* textsIn(item, [...keys, at]);
  else if (isRecord(value)) for (const [key, item] of Object.entries(value)) yield* textsIn(item, [...keys, key]);
}

/** The interpolations of a text that contain no other one: `a.b`, `oc.env:HOME`. `\${` is not one. */
export function interpolations(text: string): string[] {
  return [...text.matchAll(/\$\{([^${}]*)\}/g)]
    .filter(({ index }) => backslashesBefore(text, index) % 2 === 0)
    .map(([, inner = '']) => inner.trim());
}

function backslashesBefore(text: string, index: number): number {
  let count = 0;
  while (text[index - 1 - count] === '\\') count += 1;
  return count;
}

/** Whether a text uses Gym's own directives, which only its parser resolves. */
export function isDirective(text: string): boolean {
  return /^\$\{(?:inherit_from|copy):/.test(text);
}

const missing = onText(
  {
    code: 'missing-value',
    severity: 'error',
    rule: 'No value of a config is ???',
    why: 'OmegaConf treats ??? as a required value, which a job does not pass (`ConfigMissingValuesError`).',
    when: 'start',
  },
  ({ text }) => (text === '???' ? ['is ???, a missing value', 'set it, or remove the key'] : undefined),
);

const interpolation = onText(
  {
    code: 'interpolation',
    severity: 'error',
    rule: `Each \${key} is in the configs of the package, or one of ${JOB_KEYS.join(', ')}`,
    why: 'Gym resolves it in the merged configs (`ConfigInterpolationError`).',
    when: 'start',
  },
  ({ text }, facts) => {
    const unknown = interpolations(text).find((inner) => /^[A-Za-z_][\w.-]*$/.test(inner) && !isKnown(inner, facts));
    if (unknown === undefined) return undefined;
    return [
      `uses \${${unknown}}, which no config defines`,
      'define it, or write a plain value (\\${ for the text itself)',
    ];
  },
);

function isKnown(path: string, { files }: PackageFacts): boolean {
  const [first = '', ...rest] = path.split('.');
  if (JOB_KEYS.includes(first)) return rest.length === 0;
  return files.some(({ value }) => hasPath(value, [first, ...rest]));
}

function hasPath(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (Array.isArray(value)) return /^\d+$/.test(key) && hasPath(value[Number(key)], rest);
  return isRecord(value) && Object.hasOwn(value, key) && hasPath(value[key], rest);
}

const environment = onText(
  {
    code: 'interpolation-env',
    severity: 'error',
    rule: 'No config of a GRPO job reads an environment variable without a default',
    why: 'Such a job cannot set environment variables for its servers, so the value is missing at the start.',
    when: 'start',
  },
  ({ text }, { target }) => {
    const found = target === 'evals' ? undefined : interpolations(text).find((inner) => /^oc\.env:[^,]*$/.test(inner));
    if (found === undefined) return undefined;
    return [`reads \${${found}}, which a job does not have`, `write a default: \${${found},null}`];
  },
);

const headers = onText(
  {
    code: 'header-env',
    severity: 'error',
    rule: 'No header of a GRPO job contains an environment variable',
    why: 'Such a job cannot set environment variables for its servers, so the header is incomplete and every rollout is masked.',
    when: 'rollout',
  },
  ({ text, keys }, { target }) => {
    const isHeader = target !== 'evals' && keys.at(-2) === 'headers' && keys[1] === 'resources_servers';
    if (!isHeader || !/\$\{?\w/.test(text)) return undefined;
    return ['has a variable, which a GRPO job cannot set', 'use a server that needs no header'];
  },
);

/** A rule about each text of the instances of a package. */
function onText(
  text: RuleText,
  fault: (text: ConfigText, facts: PackageFacts) => readonly [problem: string, fix: string] | undefined,
): Rule<PackageFacts> {
  return rule(text, (facts: PackageFacts) => facts.files.flatMap((config) => problemsIn(config, facts, fault)));
}

function problemsIn(config: YamlFile, facts: PackageFacts, fault: Parameters<typeof onText>[1]): Problem[] {
  const partial = new Set(facts.instances.filter(({ isPartial }) => isPartial).map(({ name }) => name));
  const found: Problem[] = [];
  for (const one of textsIn(config.value)) {
    if (partial.has(String(one.keys[0]))) continue;
    const wrong = fault(one, facts);
    if (wrong === undefined) continue;
    const at = { file: config.file, line: config.line(one.keys) };
    found.push({ at, subject: quote(one.keys.join('.')), problem: wrong[0], fix: wrong[1] });
  }
  return found;
}

const tokenIds = onPolicy(
  {
    code: 'model-no-token-ids',
    severity: 'error',
    rule: `${POLICY_MODEL} has return_token_id_information: true`,
    why: 'Without token ids, NeMo RL cannot train on a reply.',
    when: 'training',
  },
  ({ settings }) =>
    settings.return_token_id_information === true
      ? undefined
      : ['return_token_id_information', 'is not true', 'add it'],
);

/** How a config names the URL of the model that the job serves. */
const INTERPOLATED_URL = '$' + '{policy_base_url}';

const literalUrl = onPolicy(
  {
    code: 'model-literal-url',
    severity: 'warning',
    rule: `The base_url of ${POLICY_MODEL} is \${policy_base_url}`,
    why: 'Any other URL serves a model that is not the one being trained, and a sandbox may not reach it.',
    when: 'training',
  },
  ({ settings: { base_url: url } }) =>
    typeof url === 'string' && interpolations(url).includes('policy_base_url')
      ? undefined
      : ['base_url', 'is not the URL of the job', `write base_url: ${INTERPOLATED_URL}`],
);

function onPolicy(
  text: RuleText,
  fault: (model: Instance) => readonly [key: string, problem: string, fix: string] | undefined,
): Rule<PackageFacts> {
  return rule(text, ({ instances, target }: PackageFacts) =>
    instances
      .filter(({ name, type, isPartial }) => name === POLICY_MODEL && type === 'responses_api_models' && !isPartial)
      .flatMap((model) => {
        const found = target === 'evals' ? undefined : fault(model);
        if (found === undefined) return [];
        const line = model.config.line([...model.keys, found[0]]) ?? model.config.line(model.keys);
        const subject = `${found[0]} of ${quote(model.name)}`;
        return [{ at: { file: model.config.file, line }, subject, problem: found[1], fix: found[2] }];
      }),
  );
}

export const VALUE_RULES: readonly Rule<PackageFacts>[] = [
  missing,
  interpolation,
  environment,
  headers,
  tokenIds,
  literalUrl,
];
