import { z } from 'zod';
import { memberAt, members } from './json-source.js';

/** Any JSON object. A `z.record` would copy it, which takes seconds if it is large. */
const AnyObject = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'not an object',
);

/** A frame of the websocket: an answer of the environment, or an error of the server. */
export const Frame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('observation'),
    data: z.object({
      observation: AnyObject,
      reward: z.number().nullish(),
      done: z.boolean().default(false),
      metadata: AnyObject.nullish(),
    }),
  }),
  z.object({
    type: z.literal('error'),
    data: z.object({
      message: z.string().default('no message'),
      code: z.string().default('no code'),
      active_sessions: z.number().nullish(),
      max_sessions: z.number().nullish(),
    }),
  }),
  z.object({ type: z.literal('state'), data: AnyObject }),
]);
export type Frame = z.infer<typeof Frame>;
export type Observation = Extract<Frame, { type: 'observation' }>['data'];

/** `metadata.status: error` on an ordinary observation is how an episode fails. */
export function failureOf(observation: Observation): string | null {
  const metadata = observation.metadata ?? {};
  if (metadata.status !== 'error') return null;
  return typeof metadata.error === 'string' ? metadata.error : 'the server gives no reason';
}

const PlayedTask = z.object({
  id: z.union([z.string(), z.number().transform(String)]).nullish(),
  split: z.string().nullish(),
  index: z.number().nullish(),
});
export type PlayedTask = z.infer<typeof PlayedTask>;

/** The task that a reset says it plays, or null where the server doesn't say. */
export function playedTask(observation: Observation): PlayedTask | null {
  const { data } = PlayedTask.safeParse(observation.metadata?.task);
  return data && (data.id ?? data.index) != null ? data : null;
}

const ListedTool = z.object({
  name: z.string(),
  description: z.string().nullish(),
  input_schema: AnyObject.nullish(),
  inputSchema: AnyObject.nullish(),
});

/** What a tool without a schema takes: nothing. */
const NO_ARGUMENTS = '{"type":"object","properties":{}}';

/** A tool as a `list_tools` step answers it; `parameters` is its schema as the server spelt it. */
export interface ListedTool {
  name: string;
  description: string;
  parameters: string;
}

/**
 * The tools that an answer lists.
 * @param json its text, since JSON.parse would change a schema's numbers and the order of its keys
 * @param path where the list is; MCP's own spells `input_schema` in another way
 * @throws ZodError where there is none
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
