import { z } from 'zod';
import { type ErrorParts, UserError } from '../errors.js';
import { isRecord } from '../json/guards.js';
import { memberAt, members } from '../json/members.js';

/**
 * The rewards that `openenv` allows: `Observation.reward` is `bool | int | float | None` (openenv 0.10.0,
 * core/env_server/types.py). The bridge reads a bool as 0 or 1, too.
 */
const Reward = z.union([z.number(), z.boolean().transform(Number), z.null()], 'expected a finite number or a bool');

/** A text of an error frame, which a server may omit or set to null. */
const words = (otherwise: string) =>
  z
    .unknown()
    .default(null)
    .transform((text) => (text === null || text === '' ? otherwise : shown(text)));

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** One entry of a VALIDATION_ERROR's `data.errors`, as pydantic's `ValidationError.errors()` returns them. */
const ValidationIssue = z.object({
  loc: z.array(z.union([z.string(), z.number()])).catch([]),
  msg: z.string(),
});

/** Any JSON object. A `z.record` would copy it, which takes seconds if it is large. */
const AnyObject = z.custom<Record<string, unknown>>(isRecord, 'not an object');

/** A frame of the WebSocket: a response of the environment, or an error of the server. */
export const Frame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('observation'),
    data: z.object({
      observation: AnyObject,
      reward: Reward.optional(),
      done: z.boolean().nullish().transform(Boolean),
      metadata: AnyObject.nullish(),
    }),
  }),
  z.object({
    type: z.literal('error'),
    data: z.object({
      message: words('no message'),
      code: words('no code'),
      active_sessions: z.number().nullish().catch(null),
      max_sessions: z.number().nullish().catch(null),
      errors: z.array(z.unknown()).catch([]).default([]),
    }),
  }),
  z.object({ type: z.literal('state'), data: AnyObject }),
]);
export type Frame = z.infer<typeof Frame>;
export type Observation = Extract<Frame, { type: 'observation' }>['data'];

const ISSUES = 3;

/**
 * The text of an error frame: its code and message and, for a VALIDATION_ERROR, the fields and reasons of `data.errors`.
 */
export function errorText({ code, message, errors }: Extract<Frame, { type: 'error' }>['data']): string {
  const issues = errors.flatMap((error) => {
    const { data } = ValidationIssue.safeParse(error);
    if (!data) return [];
    return [data.loc.length > 0 ? `${data.loc.join('.')}: ${data.msg}` : data.msg];
  });
  const more = issues.length > ISSUES ? [`and ${issues.length - ISSUES} more`] : [];
  return [`${code}: ${message}`, ...issues.slice(0, ISSUES), ...more].join('; ');
}

/** The reason why an episode failed, which an observation reports as `metadata.status: error`; null if it did not fail. */
export function failureOf(observation: Observation): string | null {
  const metadata = observation.metadata ?? {};
  if (metadata.status !== 'error') return null;
  return typeof metadata.error === 'string' ? metadata.error : 'the server gives no reason';
}

/** The names of an observation's numeric scores (`metadata.scores`). */
export function scoreNames({ metadata }: Observation): string[] {
  const { scores } = metadata ?? {};
  if (typeof scores !== 'object' || scores === null) return [];
  return Object.entries(scores).flatMap(([name, score]) =>
    ['number', 'boolean'].includes(typeof score) ? [name] : [],
  );
}

const ReportedTask = z.object({
  id: z.union([z.string(), z.number().transform(String)]).nullish(),
  split: z.string().nullish(),
  index: z.number().nullish(),
});
export type ReportedTask = z.infer<typeof ReportedTask>;

/** The task of the episode as the reset reports it; null if the server does not report it. */
export function reportedTask(observation: Observation): ReportedTask | null {
  const { data } = ReportedTask.safeParse(observation.metadata?.task);
  return data && (data.id ?? data.index) != null ? data : null;
}

const ListedTool = z.object({
  name: z.string(),
  description: z.string().nullish(),
  input_schema: AnyObject.nullish(),
  inputSchema: AnyObject.nullish(),
});

/** The parameters of a tool without a schema. */
const NO_ARGUMENTS = '{"type":"object","properties":{}}';

/** A tool as a `list_tools` step returns it. `parameters` is its schema with the server's spelling. */
export interface ListedTool {
  name: string;
  description: string;
  parameters: string;
}

/**
 * The tools that a response lists.
 * @param json text of the response, because JSON.parse would change a schema's numbers and the order of its keys
 * @param path keys that lead to the list; in MCP's own list, `input_schema` is called `inputSchema`
 * @throws ZodError if there is no list of tools
 */
export function listedTools(json: string, ...path: string[]): ListedTool[] {
  const list = memberAt(json, ...path) ?? 'null';
  const texts = members(list);
  return z
    .array(ListedTool)
    .parse(JSON.parse(list))
    .map((tool, index) => {
      const text = texts.get(String(index)) ?? '{}';
      const schema = (['input_schema', 'inputSchema'] as const).find((key) => tool[key]);
      return {
        name: tool.name,
        description: tool.description ?? '',
        parameters: (schema && memberAt(text, schema)) || NO_ARGUMENTS,
      };
    });
}

/**
 * The server refused one request. The session can continue. `serverCode` is the code of the server, such as
 * EXECUTION_ERROR.
 */
export class RefusedError extends UserError {
  override readonly name = 'RefusedError';
  readonly serverCode: string;

  constructor(what: string, { serverCode = '', ...parts }: ErrorParts & { serverCode?: string } = {}) {
    super(what, parts);
    this.serverCode = serverCode;
  }
}

/**
 * The session cannot continue: the server closed it, missed a time limit, or sent an invalid response. A new session
 * may work.
 */
export class SessionLost extends UserError {
  override readonly name = 'SessionLost';
}

/** Unsolicited errors of OpenEnv's server, sent before it reads a request (openenv 0.10.0, core/env_server/http_server.py). */
const NOTICES: readonly unknown[] = ['CAPACITY_REACHED', 'FACTORY_ERROR', 'SESSION_ERROR'];

export function isNotice(text: string): boolean {
  try {
    const { type, data } = JSON.parse(text);
    return type === 'error' && NOTICES.includes(data?.code);
  } catch {
    return false;
  }
}
