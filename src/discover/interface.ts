import { UserError } from '../errors.js';
import { type HttpClient, HttpStatusError, type ListedTool, listedTools, memberAt } from '../openenv/index.js';
import type { JsonText } from './types.js';

/** How an environment is played: by tools of its own (MCP), or by one action. */
export type Interface = { kind: 'tools' } | { kind: 'action'; schema: JsonText };

/**
 * Finds out how the environment is played. What its action's schema doesn't tell, its MCP endpoint does: some environments
 * have an action of their own for calling tools.
 */
export async function interfaceOf(http: HttpClient): Promise<Interface> {
  const action = await actionSchema(http).catch(async (cause: unknown) => {
    if ((await mcpTools(http)).length > 0) return undefined;
    throw cause;
  });
  if (action === undefined || callsTools(action) || (await mcpTools(http)).length > 0) return { kind: 'tools' };
  return { kind: 'action', schema: action };
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

/** OpenEnv's own actions of MCP, what is derived of them or a choice of them; and the base of all, which stands for these. */
function callsTools(json: JsonText): boolean {
  const schema = JSON.parse(json) as Schema | null;
  const choices = Object.values(schema?.$defs ?? {});
  return [schema, ...choices].some((each) => {
    const fields = Object.keys(each?.properties ?? {});
    return (
      (fields.includes('tool_name') && fields.includes('arguments')) || (each?.title === 'Action' && fields.length <= 1)
    );
  });
}

interface Schema {
  title?: unknown;
  properties?: object;
  $defs?: Record<string, Schema>;
}

/** Older servers lack routes, and some answer with an error where they have nothing to say. */
async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof HttpStatusError && error.status !== 401 && error.status !== 403) return undefined;
    throw error;
  });
}
