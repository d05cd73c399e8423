import { UserError } from '../../errors.js';
import type { Discovery, JsonText, Tool } from '../../model.js';
import {
  type Answer,
  failureOf,
  type HttpClient,
  HttpStatusError,
  type ListedTool,
  listedTools,
  memberAt,
  members,
  NoTaskApi,
  type Observation,
  RefusedError,
  type Session,
  SessionLost,
} from '../../openenv/index.js';
import { withinLimits } from '../tool-limits.js';
import { type ActionOptions, stepTool, WHOLE_ACTION } from './action.js';

/** How to list tools and to act in an episode, for both kinds of interface. */
export interface Environment {
  action?: NonNullable<Discovery['action']>;
  /** The only tool, if the environment has an action. */
  tool?: Tool;
  /** Lists the tools of the current turn. */
  tools(session: Session, seconds: number): Promise<Observation & { tools: Tool[] }>;
  call(session: Session, tool: Tool, args: JsonText, seconds: number): Promise<Answer>;
}

/**
 * Asks a server for the interface of its environment.
 * @throws UserError if an option is for an action and the environment has tools
 */
export async function environmentOf(
  http: HttpClient,
  options: ActionOptions = WHOLE_ACTION,
  listsTools: ListsTools = async () => undefined,
): Promise<Environment> {
  const found = await interfaceOf(http, listsTools);
  if (found.kind === 'action') {
    const tool = stepTool(found.schema, options);
    withinLimits([tool], 'the action of GET /schema');
    return withAction(tool, options.fix);
  }
  if (options.hide.length > 0 || Object.keys(options.fix).length > 0 || options.doc !== undefined) {
    throw new UserError('the environment has tools, not an action', {
      fix: 'remove --hide-field, --fix-field and --tool-doc',
    });
  }
  return withTools(http);
}

/**
 * Asks for tools before any reset, as OpenEnv's MCP environments allow (openenv 0.10.0, core/env_server/mcp_types.py). An
 * environment with an action of its own returns a VALIDATION_ERROR, or takes the step for one of its actions.
 */
export async function listsTools(session: Session, seconds: number): Promise<boolean | undefined> {
  try {
    const answer = await session.step('{"type":"list_tools"}', seconds);
    return failureOf(answer) === null ? Array.isArray(answer.observation.tools) : undefined;
  } catch (error) {
    if (error instanceof RefusedError) return error.serverCode === 'VALIDATION_ERROR' ? false : undefined;
    if (error instanceof SessionLost) return undefined;
    throw error;
  }
}

function withTools(http: HttpClient): Environment {
  const where = http.server.ws;
  let listed: ReturnType<typeof mcpTools> | undefined;
  return {
    call: (session, { name }, args, seconds) => session.callTool(name, args, seconds),
    async tools(session, seconds) {
      try {
        const answer = await session.listTools(seconds);
        return { ...answer, tools: withinLimits(answer.tools, where) };
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        listed ??= mcpTools(http);
        const tools = withinLimits(await listed, where);
        if (tools.length === 0) throw error;
        return { observation: {}, done: false, tools };
      }
    },
  };
}

function withAction(tool: Tool, fixed: ActionOptions['fix']): Environment {
  return {
    action: { fixed: { ...fixed } },
    tool,
    tools: async () => ({ observation: {}, done: false, tools: [tool] }),
    call: (session, _, args, seconds) => session.step(addFixedFields(args, fixed), seconds),
  };
}

/** The action to send: the arguments and the fixed fields. */
export function addFixedFields(args: JsonText, fixed: ActionOptions['fix']): JsonText {
  const fields = new Map([...members(args), ...Object.entries(fixed)]);
  return `{${[...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** How agents act in an environment: with its tools (MCP), or with one kind of action. */
type Interface = { kind: 'tools' } | { kind: 'action'; schema: JsonText };

/** Whether a `list_tools` step lists tools; undefined if the response does not show it. */
type ListsTools = () => Promise<boolean | undefined>;

/**
 * Determines the interface of the environment. An action whose fields look like a tool call may be MCP's or the environment's
 * own: unless it has the discriminator of MCP's actions, the server is asked, at its MCP endpoint and with a `list_tools` step.
 */
async function interfaceOf(http: HttpClient, listsTools: ListsTools): Promise<Interface> {
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

/** The tools that the server lists outside of an episode, if it has an MCP endpoint. */
async function mcpTools(http: HttpClient): Promise<ListedTool[]> {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const answer = await unlessMissing(http.json('POST', '/mcp', request));
  try {
    return answer ? listedTools(answer.data.toString(), 'result', 'tools') : [];
  } catch {
    return []; // an error of JSON-RPC, such as "Environment does not support MCP"
  }
}

/**
 * The result of a request, or undefined if the server lacks the route: older servers do, and some return an error if
 * they have nothing to return. Rejected credentials (401, 403) are an error: the route may exist.
 */
export async function unlessMissing<T>(request: Promise<T>): Promise<T | undefined> {
  return request.catch((error: unknown) => {
    if (error instanceof NoTaskApi) return undefined;
    if (error instanceof HttpStatusError && error.status !== 401 && error.status !== 403) return undefined;
    throw error;
  });
}

/** @throws UserError if the server fails, as it does if the environment's types have no schema */
async function actionSchema(http: HttpClient): Promise<JsonText | undefined> {
  const explain = (cause: unknown) => {
    if (!(cause instanceof HttpStatusError && cause.status === 500)) throw cause;
    throw new UserError(`cannot determine the environment's interface: ${cause.message}`, {
      where: 'GET /schema',
      fix: "correct the types of the environment's action and observation on the server; see its log",
      cause,
    });
  };
  const answer = await unlessMissing(http.json('GET', '/schema').catch(explain));
  return answer && memberAt(answer.data.toString(), 'action');
}

/** The base class of all actions, which has no fields of its own. OpenEnv's server then accepts MCP's actions. */
function isBaseAction(schema: Schema | null): boolean {
  return schema?.title === 'Action' && Object.keys(schema.properties ?? {}).length <= 1;
}

function looksLikeToolCall(schema: Schema | null): boolean {
  const names = (each: Schema | null) => Object.keys(each?.properties ?? {});
  return choices(schema).some((each) => names(each).includes('tool_name') && names(each).includes('arguments'));
}

/** Looks for the discriminator of `ListToolsAction` and `CallToolAction` (openenv 0.10.0, core/env_server/mcp_types.py). */
function isOpenEnvMcp(schema: Schema | null): boolean {
  return choices(schema).some(({ properties }) => MCP_TYPES.includes(properties?.type?.const));
}

const MCP_TYPES: unknown[] = ['list_tools', 'call_tool'];

/** A schema and its definitions. An action may have to match any of them. */
function choices(schema: Schema | null): Schema[] {
  return [schema, ...Object.values(schema?.$defs ?? {})].filter((each) => each !== null && typeof each === 'object');
}

interface Schema {
  title?: unknown;
  properties?: Record<string, { const?: unknown } | null>;
  $defs?: Record<string, Schema>;
}
