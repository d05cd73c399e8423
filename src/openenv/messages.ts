import { parse as parseLossless, stringify as stringifyLossless } from 'lossless-json';
import { z } from 'zod';

/** A frame of the websocket: an answer of the environment, or an error of the server. */
export const Frame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('observation'),
    data: z.object({
      observation: z.record(z.string(), z.unknown()),
      reward: z.number().nullish(),
      done: z.boolean().default(false),
      metadata: z.record(z.string(), z.unknown()).nullish(),
    }),
  }),
  z.object({
    type: z.literal('error'),
    data: z.object({
      message: z.string().default('no message'),
      code: z.string().default('no code'),
      active_sessions: z.number().optional(),
      max_sessions: z.number().optional(),
    }),
  }),
  z.object({ type: z.literal('state'), data: z.record(z.string(), z.unknown()) }),
]);
export type Frame = z.infer<typeof Frame>;
export type Observation = Extract<Frame, { type: 'observation' }>['data'];

/** `metadata.status: error` on an ordinary observation is how an episode fails. */
export function failureOf(observation: Observation): string | null {
  const metadata = observation.metadata ?? {};
  if (metadata.status !== 'error') return null;
  return typeof metadata.error === 'string' ? metadata.error : 'the server gives no reason';
}

const PlayedTask = z.object({ id: z.string().nullish(), split: z.string().nullish(), index: z.number().nullish() });
export type PlayedTask = z.infer<typeof PlayedTask>;

/** The task that a reset says it plays, or null where the server doesn't say. */
export function playedTask(observation: Observation): PlayedTask | null {
  const parsed = PlayedTask.safeParse(observation.metadata?.task);
  return parsed.success ? parsed.data : null;
}

const JsonObject = z.custom<object>((value) => typeof value === 'object' && value !== null && !Array.isArray(value));

const ListedTool = z.object({
  name: z.string(),
  description: z.string().nullish(),
  input_schema: JsonObject.nullish(),
});

/** What a tool without a schema takes: nothing. */
const NO_ARGUMENTS = '{"type":"object","properties":{}}';

/** A tool as a `list_tools` step answers it; `parameters` is the JSON text of its schema, numbers as the server spelt them. */
export interface ListedTool {
  name: string;
  description: string;
  parameters: string;
}

/**
 * The tools of a `list_tools` answer, from the frame's text, since JSON.parse would change its numbers.
 * @throws Error where the frame holds no such tools
 */
export function toolsOf(frame: string): ListedTool[] {
  const message = parseLossless(frame) as { data?: { observation?: { tools?: unknown } } };
  return z
    .array(ListedTool)
    .parse(message.data?.observation?.tools)
    .map((tool) => ({
      name: tool.name,
      description: tool.description ?? '',
      parameters: (tool.input_schema && stringifyLossless(tool.input_schema)) || NO_ARGUMENTS,
    }));
}
