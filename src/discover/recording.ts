import { z } from 'zod';
import { isRecord } from '../json/guards.js';

/**
 * A recording is a discovery in one file, a line of JSON each: what was recorded; then, split by split, its tasks, and
 * each toolset before the first task that has it; in the end the toolsets in their order, and how many tasks there were,
 * so that a file that was cut off is known for it.
 */
export const RECORDING_FORMAT = 1;

const Count = z.int().nonnegative();
const Reset = z.string().refine(isObject, 'not the JSON of an object').exactOptional();
const Ref = z.object({ split: z.string(), index: Count, id: z.string(), reset: Reset });

/** Its schema is a text in the text: as a value, 2^63 and 1.0 would become other numbers. */
const RecordedTool = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.string().refine(isObject, 'not the JSON of an object'),
});
const Turns = z.array(z.array(RecordedTool)).min(1);

/** What a config says of where the tasks are; a bundle's folder is named from the recording's own where it begins with a dot. */
const Server = z.union([
  z.object({ url: z.string().min(1) }),
  z.object({ bundle: z.string().min(1), framework: z.string(), sandbox: z.string().exactOptional() }),
]);

export const Header = z.object({
  type: z.literal('gymgen-recording'),
  format: z.literal(RECORDING_FORMAT),
  server: Server,
  environment: z.string().min(1),
  given: z.boolean().exactOptional(),
  action: z.object({ fixed: z.record(z.string(), z.string().refine(isJson, 'not JSON')) }).exactOptional(),
  rewardRule: z.literal('sum').exactOptional(),
  splits: z.array(z.object({ name: z.string().min(1), count: Count.min(1) })).min(1),
});
export type Header = z.infer<typeof Header>;

export const Line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('split'), name: z.string() }),
  z.object({ type: z.literal('toolset'), toolset: Count, turns: Turns }),
  z.object({
    type: z.literal('task'),
    index: Count,
    id: z.string(),
    reset: Reset,
    prompt: z.string(),
    systemPrompt: z.string().nullable(),
    toolset: Count,
  }),
  z.object({
    type: z.literal('end'),
    tasks: Count,
    toolsets: z.array(z.object({ toolset: Count, key: z.string(), tasks: z.array(Ref), turns: Turns })),
  }),
]);
export type Line = z.infer<typeof Line>;

function isJson(json: string): boolean {
  return isObject(`{"value":${json}}`);
}

function isObject(json: string): boolean {
  try {
    return isRecord(JSON.parse(json));
  } catch {
    return false;
  }
}
