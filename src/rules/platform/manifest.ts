import { closest } from '../../closest.js';
import { isRecord } from '../../json/guards.js';
import { quote } from '../finding.js';
import type { Manifest, PackageFacts } from './facts.js';
import { ADAPTER_AGENTS, FORMATS, isFormat, MANIFEST, MANIFEST_KEYS, METADATA_LENGTHS } from './formats.js';
import { type Problem, type Rule, rule } from './rule.js';

const SCHEMA = 'Both loaders forbid other keys and values (`EnvironmentManifest`, nhx/rl/schemas/environment.py).';

const missing = rule<PackageFacts>(
  {
    code: 'manifest-missing',
    severity: 'error',
    rule: `A package has ${MANIFEST} at its root`,
    why: 'Submit and the job look for this file only (`load_environment_manifest`).',
    when: 'submit',
  },
  ({ manifest, unreadable, entries }) => {
    if (manifest || unreadable.some(({ file }) => file === MANIFEST) || nestedIn(entries) !== undefined) return [];
    const problem = `has no ${MANIFEST}`;
    return [{ at: { file: '' }, subject: 'package', problem, fix: 'create it, or run gymgen package' }];
  },
);

const nested = rule<PackageFacts>(
  {
    code: 'manifest-nested',
    severity: 'error',
    rule: `${MANIFEST} is not in a subfolder`,
    why: 'An upload without a slash after the folder puts everything one level deeper.',
    when: 'submit',
  },
  ({ manifest, entries }) => {
    const found = manifest ? undefined : nestedIn(entries);
    if (found === undefined) return [];
    const fix = `move its content up, or upload it with a slash: nemo files upload ${found.split('/')[0]}/ NAME`;
    return [{ at: { file: found }, subject: MANIFEST, problem: 'is one folder below the root', fix }];
  },
);

function nestedIn(entries: PackageFacts['entries']): string | undefined {
  return entries.find(({ path }) => path.endsWith(`/${MANIFEST}`) && path.split('/').length === 2)?.path;
}

const unreadable = rule<PackageFacts>(
  {
    code: 'manifest-yaml',
    severity: 'error',
    rule: `${MANIFEST} is a YAML map`,
    why: 'Both loaders read it with PyYAML and expect a mapping.',
    when: 'submit',
  },
  ({ unreadable }) =>
    unreadable
      .filter(({ file }) => file === MANIFEST)
      .map(({ file, line, problem }) => ({ at: { file, line }, subject: MANIFEST, problem, fix: 'correct the file' })),
);

const keys = onManifest(
  {
    code: 'manifest-key',
    severity: 'error',
    rule: `${MANIFEST} has no unknown key, and adapter only with adapter-wheels-v1`,
    why: SCHEMA,
    when: 'submit',
  },
  ({ value, format }) =>
    Object.keys(value)
      .filter((key) => !isManifestKey(key) || (key === 'adapter' && format && format !== 'adapter-wheels-v1'))
      .map((key) => ({
        keys: [key],
        subject: `key ${quote(key)}`,
        problem: isManifestKey(key) ? `belongs to adapter-wheels-v1, not to ${format}` : 'is unknown',
        fix: meant(key, MANIFEST_KEYS) ?? 'remove it',
      })),
);

function isManifestKey(key: string): boolean {
  return (MANIFEST_KEYS as readonly string[]).includes(key);
}

function meant(key: string, known: readonly string[]): string | undefined {
  const near = closest(key, known);
  return near === undefined || near === key ? undefined : `did you mean ${near}?`;
}

const format = onManifest(
  {
    code: 'manifest-format',
    severity: 'error',
    rule: `format is one of ${FORMATS.join(', ')}`,
    why: SCHEMA,
    when: 'submit',
  },
  ({ value }) => {
    if (isFormat(value.format)) return [];
    const problem = value.format === undefined ? 'is missing' : `is ${shown(value.format)}`;
    return [{ keys: ['format'], subject: 'format', problem, fix: `use one of ${FORMATS.join(', ')}` }];
  },
);

const metadataName = onManifest(
  {
    code: 'metadata-name',
    severity: 'error',
    rule: 'metadata.name is a string of 1 to 255 characters',
    why: SCHEMA,
    when: 'submit',
  },
  ({ value: { metadata } }) => {
    if (!isRecord(metadata)) {
      const fix = 'add metadata with a name';
      return [{ keys: ['metadata'], subject: 'metadata', problem: 'is missing or not a map', fix }];
    }
    const { name } = metadata;
    const problem = name === undefined ? 'is missing' : textProblem(name, METADATA_LENGTHS.name as number, 1);
    if (problem === undefined) return [];
    return [{ keys: ['metadata', 'name'], subject: 'metadata.name', problem, fix: 'give the package a short name' }];
  },
);

const metadataKeys = onManifest(
  {
    code: 'metadata-key',
    severity: 'error',
    rule: `metadata has only ${Object.keys(METADATA_LENGTHS).join(', ')}`,
    why: SCHEMA,
    when: 'submit',
  },
  ({ value: { metadata } }) =>
    Object.keys(isRecord(metadata) ? metadata : {})
      .filter((key) => !Object.hasOwn(METADATA_LENGTHS, key))
      .map((key) => ({
        keys: ['metadata', key],
        subject: `metadata key ${quote(key)}`,
        problem: 'is unknown',
        fix: meant(key, Object.keys(METADATA_LENGTHS)) ?? 'remove it',
      })),
);

const metadataText = onManifest(
  {
    code: 'metadata-text',
    severity: 'error',
    rule: `Values of metadata have at most ${lengths()} characters`,
    why: "Submit accepts longer ones; the job's loader does not (`EnvironmentMetadata`, sandboxed_gym).",
    when: 'start',
  },
  ({ value: { metadata } }) =>
    Object.entries(isRecord(metadata) ? metadata : {}).flatMap(([key, text]) => {
      if (key === 'name' || text === null || !Object.hasOwn(METADATA_LENGTHS, key)) return [];
      const problem = textProblem(text, METADATA_LENGTHS[key] as number, 0);
      if (problem === undefined) return [];
      return [{ keys: ['metadata', key], subject: `metadata.${key}`, problem, fix: 'shorten or remove it' }];
    }),
);

function lengths(): string {
  return Object.entries(METADATA_LENGTHS)
    .filter(([key]) => key !== 'name')
    .map(([key, length]) => `${length} (${key})`)
    .join(', ');
}

const adapterMissing = onManifest(
  {
    code: 'adapter-missing',
    severity: 'error',
    rule: 'An adapter-wheels-v1 package has adapter',
    why: SCHEMA,
    when: 'submit',
  },
  ({ value, format }) => {
    if (format !== 'adapter-wheels-v1' || isRecord(value.adapter)) return [];
    const fix = 'add adapter with agent: verifiers_agent';
    return [{ keys: ['adapter'], subject: 'adapter', problem: 'is missing or not a map', fix }];
  },
);

const ADAPTER_KEYS = ['agent', 'agent_type', 'image_config_root'];

const adapterAgent = onManifest(
  {
    code: 'adapter-agent',
    severity: 'error',
    rule: 'adapter names an agent of the training image and has no unknown key',
    why: 'The image has one such agent (`IMAGE_ADAPTER_ALLOWLIST`, nhx/rl/tasks/environment/allowlist.py).',
    when: 'submit',
  },
  ({ value: { adapter }, format }) => {
    if (format !== 'adapter-wheels-v1' || !isRecord(adapter)) return [];
    const found: FoundInManifest[] = [];
    const refuse = (key: string, problem: string, fix: string) =>
      found.push({ keys: ['adapter', key], subject: `adapter.${key}`, problem, fix });
    const agents = ADAPTER_AGENTS.join(', ');
    if (typeof adapter.agent !== 'string' || !ADAPTER_AGENTS.includes(adapter.agent)) {
      refuse('agent', `is ${shown(adapter.agent)}, which the training image does not have`, `use ${agents}`);
    }
    if (adapter.agent_type !== undefined && adapter.agent_type !== 'responses_api_agents') {
      refuse('agent_type', `is ${shown(adapter.agent_type)}`, 'use responses_api_agents');
    }
    const root = adapter.image_config_root ?? null;
    const problem = root === null ? undefined : textProblem(root, 512, 0);
    if (problem !== undefined) refuse('image_config_root', problem, 'remove it');
    for (const key of Object.keys(adapter)) if (!ADAPTER_KEYS.includes(key)) refuse(key, 'is unknown', 'remove it');
    return found;
  },
);

interface FoundInManifest extends Omit<Problem, 'at'> {
  keys: readonly (string | number)[];
}

/** A rule about the values of the manifest. Its problems are at a key. */
function onManifest(
  text: Parameters<typeof rule>[0],
  judge: (manifest: Manifest) => readonly FoundInManifest[],
): Rule<PackageFacts> {
  return rule(text, ({ manifest }: PackageFacts) =>
    manifest === undefined ? [] : judge(manifest).map((found) => placed(manifest, found)),
  );
}

function placed(manifest: Manifest, { keys, ...rest }: FoundInManifest): Problem {
  return { at: { file: MANIFEST, line: lineNear(manifest, keys) }, ...rest };
}

/** The line of a value, or of the nearest value above it. */
export function lineNear({ line }: Pick<Manifest, 'line'>, keys: readonly (string | number)[]): number | undefined {
  for (let length = keys.length; length > 0; length -= 1) {
    const found = line(keys.slice(0, length));
    if (found !== undefined) return found;
  }
  return undefined;
}

function textProblem(value: unknown, longest: number, shortest: number): string | undefined {
  if (typeof value !== 'string') return `is ${shown(value)}, not a string`;
  const length = [...value].length;
  if (length < shortest) return 'is empty';
  return length > longest ? `has ${length} characters; the limit is ${longest}` : undefined;
}

/** An untrusted value, for a message. */
export function shown(value: unknown): string {
  return value === undefined ? 'missing' : quote(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

export const MANIFEST_RULES: readonly Rule<PackageFacts>[] = [
  missing,
  nested,
  unreadable,
  keys,
  format,
  metadataName,
  metadataKeys,
  metadataText,
  adapterMissing,
  adapterAgent,
];
