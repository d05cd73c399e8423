import { UserError } from '../errors.js';
import type { Discovery, JsonText, Tool } from '../model.js';
import {
  type Answer,
  failureOf,
  type HttpClient,
  members,
  type Observation,
  RefusedError,
  type Session,
  SessionLost,
} from '../openenv/index.js';
import { type ActionOptions, stepTool, WHOLE_ACTION } from './action.js';
import { interfaceOf, type ListsTools, mcpTools } from './interface.js';
import { boundedTools } from './tool-bounds.js';

/** How an episode is played, whatever kind of environment it is of. */
export interface Environment {
  /** As a discovery says it. */
  action?: NonNullable<Discovery['action']>;
  /** The one tool that stands for the action. */
  tool?: Tool;
  /** The tools that the open turn offers. */
  tools(session: Session, seconds: number): Promise<Observation & { tools: Tool[] }>;
  call(session: Session, tool: Tool, args: JsonText, seconds: number): Promise<Answer>;
}

/**
 * Asks a server how its environment is played.
 * @throws UserError where an option is of an action that it hasn't got
 */
export async function environmentOf(
  http: HttpClient,
  options: ActionOptions = WHOLE_ACTION,
  listsTools: ListsTools = async () => undefined,
): Promise<Environment> {
  const found = await interfaceOf(http, listsTools);
  if (found.kind === 'action') {
    const tool = stepTool(found.schema, options);
    boundedTools([tool], 'the action of GET /schema');
    return withAction(tool, options.fix);
  }
  if (options.hide.length > 0 || Object.keys(options.fix).length > 0 || options.doc !== undefined) {
    throw new UserError('the environment has tools of its own, not one action', {
      fix: 'leave out --hide-field, --fix-field and --tool-doc',
    });
  }
  return withTools(http);
}

/**
 * Asks for tools before any reset, as OpenEnv's MCP environments allow (openenv 0.10.0, core/env_server/mcp_types.py). An
 * environment with an action of its own answers with a VALIDATION_ERROR, or takes the step for one of its actions.
 */
export async function listsTools(session: Session, seconds: number): Promise<boolean | undefined> {
  try {
    const answer = await session.step('{"type":"list_tools"}', seconds);
    return failureOf(answer) === null ? Array.isArray(answer.observation.tools) : undefined;
  } catch (error) {
    if (error instanceof RefusedError) return error.code === 'VALIDATION_ERROR' ? false : undefined;
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
        return { ...answer, tools: boundedTools(answer.tools, where) };
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        listed ??= mcpTools(http);
        const tools = boundedTools(await listed, where);
        if (tools.length === 0) throw error;
        return { observation: {}, done: false, tools };
      }
    },
  };
}

function withAction(tool: Tool, fixed: ActionOptions['fix']): Environment {
  const action = { fixed: { ...fixed } };
  return {
    action,
    tool,
    tools: async () => ({ observation: {}, done: false, tools: [tool] }),
    call: (session, _, args, seconds) => session.step(withFixed(args, fixed), seconds),
  };
}

/** An action as it is sent: with the fields that have one value. */
export function withFixed(args: JsonText, fixed: ActionOptions['fix']): JsonText {
  const all = new Map([...members(args), ...Object.entries(fixed)]);
  return `{${[...all].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}
