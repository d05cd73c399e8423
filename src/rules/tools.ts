import { parse, stringify } from 'lossless-json';
import type { Tool } from '../model.js';
import { type Finding, quote, wellFormed } from './finding.js';
import { jsonFault } from './json-text.js';

/** What models' APIs allow; all of it is safe in a URL, where simple_agent puts a name unencoded. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * POST routes of a resources server, which a tool of that name would lose to (`RESERVED_MCP_TOOL_NAMES` and
 * `SimpleResourcesServer.setup_webserver`, nemo_gym/base_resources_server.py), and the prefix that
 * `RolloutContextMiddleware` strips (nemo_gym/rollout_correlation.py). Its GET routes (`health`, `stats`, …) take no call
 * away: a POST to one of them reaches the bridge, which test/runtime tries.
 */
export const GYM_ROUTES: ReadonlySet<string> = new Set([
  ...['seed_session', 'close_session', 'verify', 'aggregate_metrics', 'mcp'],
  'ng-rollout',
]);

/** `tool-name`, `tool-route`: a name in the rows. `original` is the server's own, which a rename option starts from. */
export function toolName(name: string, original = name): Finding[] {
  const refuse = (code: string, what: string): Finding[] => [
    {
      code,
      where: `tool ${quote(original)}${name === original ? '' : `, renamed ${quote(name)}`}`,
      what,
      fix: `rename it: --rename-tool ${shellWord(`${original}=${toolNameSuggestion(name)}`)}`,
    },
  ];
  if (!NAME.test(name)) return refuse('tool-name', "models' APIs allow 1 to 64 letters, digits, _ and - only");
  if (GYM_ROUTES.has(name))
    return refuse('tool-route', "is a route of NeMo Gym's own, which the call would reach instead");
  return [];
}

/** `tool-description`, `tool-json`, `tool-parameters`: what orjson and `FunctionToolParam` (nemo_gym/openai_utils.py) take. */
export function toolJson(tool: Tool): Finding[] {
  const refuse = (code: string, what: string): Finding => ({
    code,
    where: `tool ${quote(tool.name)}`,
    what,
    fix: 'mend it on the server, or leave out the splits that offer it: --split with the names of the others',
  });
  const findings: Finding[] = [];
  if (!wellFormed(tool.description)) {
    findings.push(refuse('tool-description', 'its description has a lone surrogate, which is no UTF-8'));
  }
  const fault = jsonFault(tool.parameters);
  if (fault !== undefined) findings.push(refuse('tool-json', `its schema ${fault}`));
  else if (!tool.parameters.trimStart().startsWith('{')) {
    findings.push(refuse('tool-parameters', 'its schema is not a JSON object'));
  }
  return findings;
}

/** `tool-duplicate`: two tools of a turn with one name in the rows; only one of them could be called. */
export function toolDuplicates(turn: readonly Tool[], rowName: (name: string) => string): Finding[] {
  const taken = new Map<string, string>();
  return turn.flatMap(({ name }) => {
    const shared = rowName(name);
    const other = taken.get(shared);
    if (other === undefined) {
      taken.set(shared, name);
      return [];
    }
    const renamed = other !== name || shared !== name;
    return [
      {
        code: 'tool-duplicate',
        where: `tool ${quote(name)}`,
        what: renamed
          ? `has the name ${quote(shared)} in the rows, as tool ${quote(other)} has`
          : 'is there twice in one turn',
        fix: renamed ? 'choose another NEW in --rename-tool OLD=NEW' : 'give the tools different names on the server',
      },
    ];
  });
}

/**
 * `tool-clash`: one name with other parameters in a later turn. A row has one list of tools for all turns, so the model
 * would be shown a schema that a turn doesn't have. A description that changes from turn to turn is no clash: the row has
 * the first, and calls of either reach the same tool.
 */
export function toolClash(toolset: string, first: Tool, later: Tool): Finding[] {
  if (sameJson(first.parameters, later.parameters)) return [];
  return [
    {
      code: 'tool-clash',
      where: `tool ${quote(first.name)} of toolset ${quote(toolset)}`,
      what: 'two turns offer it with different parameters, and a row can show one',
      fix: 'give the two different names on the server, or leave out the splits that offer it with --split',
    },
  ];
}

/** Equal but for the order of keys and blanks between tokens, as Python's dicts are; numbers are compared as spelt. */
function sameJson(one: string, other: string): boolean {
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

function toolNameSuggestion(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+|(?<!_)_+$/g, '');
  if (safe === '') return 'my_tool';
  return GYM_ROUTES.has(safe) ? `${safe}_tool` : safe.slice(0, 64);
}

/** Longer names are cut in messages. */
const LONGEST_WORD = 256;

function shellWord(text: string): string {
  return text.length <= LONGEST_WORD && /^[\w.=-]+$/.test(text) ? text : quote(text);
}
