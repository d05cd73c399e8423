import { isDeepStrictEqual } from 'node:util';
import { isMap, isPair, isScalar, LineCounter, type Pair, type YAMLMap } from 'yaml';
import { UserError } from '../errors.js';
import { namesOf } from '../gym/index.js';
import { isRecord } from '../json/guards.js';
import { yamlDocument, yamlValues } from '../read-yaml.js';
import type { ServerSettings } from './types.js';

/** A config as the package has it. */
export interface PackagedConfig {
  text: string;
  settings: ServerSettings;
}

/** Where a bundle lies in a package, from the folder `configs/` of its server. */
export const BUNDLE_REFERENCE = '../bundle';

/** Keys of the resources server's block that only NeMo Gym reads. */
const GYM_KEYS = ['entrypoint', 'domain', 'description', 'host', 'port', 'num_workers', 'datasets'];

/**
 * The config of a written folder without its `datasets` blocks, whose rows are a file set of their own. Everything else keeps
 * its text.
 * @param reference what to write for `bundle`, if its folder goes into the package
 * @param where path of the config, for messages
 * @throws UserError if the config is not valid YAML, or has no server of this name
 */
export function packagedConfig(
  text: string,
  name: string,
  reference: string | undefined,
  where: string,
): PackagedConfig {
  const lines = new LineCounter();
  const document = yamlDocument(text, where, { version: '1.1', lineCounter: lines });
  const [problem] = document.errors;
  if (problem) {
    throw new UserError(`invalid YAML: ${problem.message.split('\n')[0]}`, { where, fix: 'correct the file' });
  }
  const values = yamlValues(document, where, lines);
  const settings = settingsOf(values, name, where);
  const cuts = isMap(document.contents) ? datasetsIn(document.contents) : [];
  const edits = cuts.map(({ key, value }) => ({ ...wholeLines(text, startOf(key), endOf(value)), text: '' }));
  const node = document.getIn([name, 'resources_servers', name, 'bundle'], true);
  if (reference !== undefined)
    edits.push({ start: startOf(node), end: valueEnd(node), text: JSON.stringify(reference) });
  const edited = applied(text, edits);
  assertSame(edited, values, name, reference, where);
  return { text: edited, settings };
}

function settingsOf(values: unknown, name: string, where: string): ServerSettings {
  const instance = isRecord(values) ? values[name] : undefined;
  const servers = isRecord(instance) ? instance.resources_servers : undefined;
  const block = isRecord(servers) ? servers[name] : undefined;
  if (!isRecord(block)) {
    throw new UserError(`config has no resources server ${name}`, {
      where,
      fix: 'undo the edit, or write the folder again',
    });
  }
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const headers = isRecord(block.headers) ? Object.values(block.headers).map(String) : [];
  const own = Object.entries(block).filter(([key]) => !GYM_KEYS.includes(key));
  return {
    url: text(block.url),
    bundle: text(block.bundle),
    headers,
    maxSteps: maxStepsIn(values, name),
    block: Object.fromEntries(own),
  };
}

function maxStepsIn(values: unknown, name: string): number | undefined {
  const instance = isRecord(values) ? values[namesOf(name).agent] : undefined;
  const agents = isRecord(instance) ? instance.responses_api_agents : undefined;
  const agent = isRecord(agents) ? agents.simple_agent : undefined;
  return isRecord(agent) && typeof agent.max_steps === 'number' ? agent.max_steps : undefined;
}

/** The pairs `datasets: …` of each implementation of each instance. */
function datasetsIn(root: YAMLMap): Pair[] {
  const maps = (map: unknown): YAMLMap[] => (isMap(map) ? map.items.map(({ value }) => value).filter(isMap) : []);
  return maps(root)
    .flatMap(maps)
    .flatMap(maps)
    .flatMap((implementation) => implementation.items.filter(isPair))
    .filter(({ key }) => isScalar(key) && key.value === 'datasets');
}

type Ranged = { range?: [number, number, number] | null } | null | undefined;
const startOf = (node: unknown): number => (node as Ranged)?.range?.[0] ?? 0;
const valueEnd = (node: unknown): number => (node as Ranged)?.range?.[1] ?? 0;
const endOf = (node: unknown): number => (node as Ranged)?.range?.[2] ?? 0;

/** Extends a range to whole lines. */
function wholeLines(text: string, start: number, end: number): { start: number; end: number } {
  const isEnded = end === text.length || text[end - 1] === '\n';
  const next = text.indexOf('\n', end);
  return { start: text.lastIndexOf('\n', start - 1) + 1, end: isEnded || next === -1 ? Math.max(end, 0) : next + 1 };
}

function applied(text: string, edits: readonly { start: number; end: number; text: string }[]): string {
  const later = [...edits].sort((a, b) => b.start - a.start);
  return later.reduce((all, edit) => all.slice(0, edit.start) + edit.text + all.slice(edit.end), text);
}

/** Reads the result back: a config in flow style, or with anchors, may not be cut like this. */
function assertSame(text: string, values: unknown, name: string, bundle: string | undefined, where: string): void {
  const document = yamlDocument(text, where, { version: '1.1' });
  const expected = structuredClone(values) as Record<string, Record<string, Record<string, Record<string, unknown>>>>;
  for (const implementation of Object.values(expected).filter(isRecord).flatMap(Object.values).filter(isRecord)) {
    for (const block of Object.values(implementation)) if (isRecord(block)) delete block.datasets;
  }
  const block = expected[name]?.resources_servers?.[name];
  if (bundle !== undefined && block) block.bundle = bundle;
  if (document.errors.length === 0 && isDeepStrictEqual(yamlValues(document, where), expected)) return;
  throw new UserError('cannot remove the datasets from this config', {
    where,
    details: [`its ${namesOf(name).agent} may be in flow style, or have anchors`],
    fix: 'write the config in block style, without anchors',
  });
}
