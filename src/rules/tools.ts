import { parse, stringify } from 'lossless-json';
import { closest } from '../closest.js';
import type { JsonText, Tool } from '../model.js';
import { configText } from './config.js';
import { error, type Finding, LONE_SURROGATE, OMIT_SPLIT, quote } from './finding.js';
import { jsonProblem } from './json-text.js';

/** What model APIs allow. All of it is safe in a URL, where simple_agent puts the name unencoded. */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

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
  if (!TOOL_NAME.test(name)) {
    return [error('tool-name', subject, 'model APIs allow only 1 to 64 letters, digits, _ and -', fix)];
  }
  return GYM_ROUTES.has(name) ? [error('tool-route', subject, 'is the name of a NeMo Gym route', fix)] : [];
}

/** `tool-description`: a text that orjson reads. */
export function toolDescription({ name, description }: Tool): Finding[] {
  if (description.isWellFormed()) return [];
  return [error('tool-description', `tool ${quote(name)}`, `its description ${LONE_SURROGATE}`, FIX_TOOL)];
}

/** Levels of a row around the schema of a tool. */
export const SCHEMA_LEVEL = 4;

/** `tool-json`, `tool-parameters`: an object (`FunctionToolParam`, nemo_gym/openai_utils.py) that orjson reads. */
export function toolParameters({ name, parameters }: Tool): Finding[] {
  const subject = `tool ${quote(name)}`;
  const fault = jsonProblem(parameters, SCHEMA_LEVEL);
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
  if (jsonProblem(one) !== undefined || jsonProblem(other) !== undefined) return false;
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

/** The server's tool names, each with its name in the rows, from `--rename-tool OLD=NEW`. */
type Renames = Readonly<Record<string, string>>;

const CHOOSE = 'choose another NEW in --rename-tool OLD=NEW';
/** Upper bound on the tools that a fix names. */
const NAMED = 10;

/**
 * `rename-collision`: the bridge maps a name in the rows back to the server's, so two tools must not share one. The server's
 * name is also a text of the config.
 */
export function renames(renameTools: Renames): Finding[] {
  const taken = new Map<string, string>();
  return Object.entries(renameTools).flatMap(([old, name]) => {
    const other = taken.get(name);
    taken.set(name, old);
    if (other === undefined) return configText(option(old, name), old);
    return [error('rename-collision', option(old, name), `tool ${quote(other)} already has this new name`, CHOOSE)];
  });
}

/**
 * `rename-taken`: the server has a tool with the new name of another. They clash even if no task offers both, because the
 * config's `tool_names` holds for all tasks.
 */
export function renameTaken(serverName: string, renameTools: Renames): Finding[] {
  if (Object.hasOwn(renameTools, serverName)) return [];
  const old = Object.keys(renameTools).find((key) => renameTools[key] === serverName);
  if (old === undefined) return [];
  return [error('rename-taken', option(old, serverName), 'the server has a tool with this name', CHOOSE)];
}

/**
 * `rename-unmatched`: a rename without a tool is a typing error.
 * @param seen the server's names of all tools
 */
export function renamesUnmatched(renameTools: Renames, seen: ReadonlySet<string>): Finding[] {
  return Object.entries(renameTools)
    .filter(([old]) => !seen.has(old))
    .map(([old, name]) =>
      error('rename-unmatched', option(old, name), `no task offers a tool ${quote(old)}`, unmatchedFix(old, [...seen])),
    );
}

function unmatchedFix(old: string, seen: readonly string[]): string {
  const near = closest(old, seen);
  if (near !== undefined) return `did you mean ${quote(near)}?`;
  return `omit it, or name one of: ${seen.slice(0, NAMED).map(quote).join(' ') || '(no tools)'}`;
}

function option(old: string, name: string): string {
  return `--rename-tool ${quote(`${old}=${name}`)}`;
}
