import { parse, stringify } from 'lossless-json';
import type { JsonText, Tool } from '../model.js';
import { error, type Finding, LONE_SURROGATE, OMIT_SPLIT, quote } from './finding.js';
import { jsonFault } from './json-text.js';

/** What model APIs allow. All of it is safe in a URL, where simple_agent puts the name unencoded. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * POST routes of a resources server (`RESERVED_MCP_TOOL_NAMES` and `SimpleResourcesServer.setup_webserver`,
 * nemo_gym/base_resources_server.py), and the prefix that `RolloutContextMiddleware` strips (nemo_gym/rollout_correlation.py).
 * Gym's GET routes (`health`, `stats`, …) are allowed: a POST to one of them reaches the bridge, which test/runtime checks.
 */
export const GYM_ROUTES: ReadonlySet<string> = new Set([
  ...['seed_session', 'close_session', 'verify', 'aggregate_metrics', 'mcp'],
  'ng-rollout',
]);

const FIX_TOOL = `fix it on the server, or omit the splits that offer it: ${OMIT_SPLIT}`;

/**
 * `tool-name`, `tool-route`: a tool's name in the rows. A call of a tool with the name of a route would reach Gym instead.
 * @param original the server's name, which `--rename-tool` takes
 */
export function toolName(name: string, original = name): Finding[] {
  const subject = `tool ${quote(original)}${name === original ? '' : `, renamed ${quote(name)}`}`;
  const fix = `rename it: --rename-tool ${shellWord(`${original}=${suggestion(name)}`)}`;
  if (!NAME.test(name)) {
    return [error('tool-name', subject, 'model APIs allow only 1 to 64 letters, digits, _ and -', fix)];
  }
  return GYM_ROUTES.has(name) ? [error('tool-route', subject, 'is the name of a NeMo Gym route', fix)] : [];
}

/** `tool-description`: a text that orjson reads. */
export function toolDescription({ name, description }: Tool): Finding[] {
  if (description.isWellFormed()) return [];
  return [error('tool-description', `tool ${quote(name)}`, `its description ${LONE_SURROGATE}`, FIX_TOOL)];
}

/** `tool-json`, `tool-parameters`: an object (`FunctionToolParam`, nemo_gym/openai_utils.py) that orjson reads. */
export function toolParameters({ name, parameters }: Tool): Finding[] {
  const subject = `tool ${quote(name)}`;
  const fault = jsonFault(parameters);
  if (fault !== undefined) return [error('tool-json', subject, `its schema ${fault}`, FIX_TOOL)];
  if (parameters.trimStart().startsWith('{')) return [];
  return [error('tool-parameters', subject, 'its schema is not a JSON object', FIX_TOOL)];
}

/**
 * `tool-duplicate`: two tools of a turn with one name in the rows. Only one of them could be called.
 * @param rowName maps the server's name to the name in the rows
 */
export function toolDuplicates(turn: readonly Tool[], rowName: (name: string) => string): Finding[] {
  const taken = new Map<string, string>();
  return turn.flatMap(({ name }) => {
    const shared = rowName(name);
    const other = taken.get(shared);
    if (other === undefined) {
      taken.set(shared, name);
      return [];
    }
    const isRenamed = other !== name || shared !== name;
    const problem = isRenamed ? `is named ${quote(shared)} in the rows, like tool ${quote(other)}` : 'is listed twice';
    const fix = isRenamed ? 'choose another NEW in --rename-tool OLD=NEW' : 'give the tools two names on the server';
    return [error('tool-duplicate', `tool ${quote(name)}`, problem, fix)];
  });
}

/**
 * `tool-clash`: a later turn offers a tool with other parameters. A row has one list of tools for all turns. The description
 * may differ: the row has the first one.
 */
export function toolClash(toolset: string, first: Tool, later: Tool): Finding[] {
  if (isSameJson(first.parameters, later.parameters)) return [];
  const subject = `tool ${quote(first.name)} of toolset ${quote(toolset)}`;
  const fix = `give it two names on the server, or omit the splits that offer it: ${OMIT_SPLIT}`;
  return [error('tool-clash', subject, 'has different parameters in two turns', fix)];
}

/** Equal except for white space and the order of keys. Numbers must have the same spelling. */
function isSameJson(one: JsonText, other: JsonText): boolean {
  if (one === other) return true;
  if (jsonFault(one) !== undefined || jsonFault(other) !== undefined) return false;
  return stringify(sorted(parse(one))) === stringify(sorted(parse(other)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || value.constructor !== Object) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

/** A valid name that resembles an invalid one. */
function suggestion(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+|(?<!_)_+$/g, '');
  if (safe === '') return 'my_tool';
  return GYM_ROUTES.has(safe) ? `${safe}_tool` : safe.slice(0, 64);
}

/** Longer words are cut in messages. */
const LONGEST_WORD = 256;

function shellWord(text: string): string {
  return text.length <= LONGEST_WORD && /^[\w.=-]+$/.test(text) ? text : quote(text);
}
