import { UserError } from '../errors.js';
import type { JsonText } from '../model.js';
import { type HttpClient, HttpStatusError, type ListedTool, listedTools, memberAt } from '../openenv/index.js';

/** How an environment is played: by tools of its own (MCP), or by one action. */
export type Interface = { kind: 'tools' } | { kind: 'action'; schema: JsonText };

/** Whether a `list_tools` step lists tools; undefined if the server's answer does not tell. */
export type ListsTools = () => Promise<boolean | undefined>;

/**
 * Finds out how the environment is played. An action whose fields look like a tool call may be MCP's or the environment's
 * own: unless it has the discriminator of MCP's, the server is asked, at its MCP endpoint and with a `list_tools` step.
 */
export async function interfaceOf(http: HttpClient, listsTools: ListsTools): Promise<Interface> {
  const action = await actionSchema(http).catch(async (cause: unknown) => {
    if ((await mcpTools(http)).length > 0) return undefined;
    throw cause;
  });
  if (action === undefined) return { kind: 'tools' };
  const schema = JSON.parse(action) as Schema | null;
  if (isBaseAction(schema) || (await mcpTools(http)).length > 0) return { kind: 'tools' };
  const isMcp = isOpenEnvMcp(schema) || (looksLikeToolCall(schema) && (await listsTools()) === true);
  return isMcp ? { kind: 'tools' } : { kind: 'action', schema: action };
}

/** The tools that the server lists outside of an episode; none where it doesn't. */
export async function mcpTools(http: HttpClient): Promise<ListedTool[]> {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const answer = await unlessMissing(http.json('POST', '/mcp', request));
  try {
    return answer ? listedTools(answer.data.toString(), 'result', 'tools') : [];
  } catch {
    return []; // an error of JSON-RPC, such as "Environment does not support MCP"
  }
}

/** @throws UserError where the server fails at it, as it does where the environment's types have no schema */
async function actionSchema(http: HttpClient): Promise<JsonText | undefined> {
  const failed = (cause: unknown) => {
    if (!(cause instanceof HttpStatusError && cause.status === 500)) throw cause;
    const parts = { where: 'GET /schema', fix: FIX, cause };
    throw new UserError(`how the environment is played can't be told: ${cause.message}`, parts);
  };
  const answer = await unlessMissing(http.json('GET', '/schema').catch(failed));
  return answer && memberAt(answer.data.toString(), 'action');
}

const FIX = "mend the environment's action and observation on the server, whose log says what is wrong";

/** The base class of all actions, which has no field to decide: OpenEnv's server then takes MCP's actions. */
function isBaseAction(schema: Schema | null): boolean {
  return schema?.title === 'Action' && Object.keys(schema.properties ?? {}).length <= 1;
}

function looksLikeToolCall(schema: Schema | null): boolean {
  const names = (each: Schema | null) => Object.keys(each?.properties ?? {});
  return choices(schema).some((each) => names(each).includes('tool_name') && names(each).includes('arguments'));
}

/** The discriminator of `ListToolsAction` and `CallToolAction` (openenv 0.10.0, core/env_server/mcp_types.py). */
function isOpenEnvMcp(schema: Schema | null): boolean {
  return choices(schema).some(({ properties }) => MCP_TYPES.includes(properties?.type?.const));
}

const MCP_TYPES: unknown[] = ['list_tools', 'call_tool'];

/** A schema, and the definitions that it may be a choice of. */
function choices(schema: Schema | null): Schema[] {
  return [schema, ...Object.values(schema?.$defs ?? {})].filter((each) => each !== null && typeof each === 'object');
}

interface Schema {
  title?: unknown;
  properties?: Record<string, { const?: unknown } | null>;
  $defs?: Record<string, Schema>;
}

/** Older servers lack routes, and some answer with an error where they have nothing to say. */
async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof HttpStatusError && error.status !== 401 && error.status !== 403) return undefined;
    throw error;
  });
}
