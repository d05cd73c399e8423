import { z } from 'zod';
import { isRecord } from '../../json/guards.js';

/**
 * A recording is a file with a JSON object per line: a header; for each split a line with its name and its tasks, each
 * toolset before its first task; and an end with the order of the toolsets and the number of tasks, without which the
 * file is truncated. The end also has a SHA-256 of everything before it. Recordings of older versions have none, and do
 * not say what they left out.
 */
export const RECORDING_FORMAT = 1;

const Count = z.int().nonnegative();
const Reset = z.string().refine(isObjectText, 'not the JSON of an object').exactOptional();
const Ref = z.object({ split: z.string(), index: Count, id: z.string(), reset: Reset });

/** The schema is a string of JSON: as a value, 2^63 and 1.0 would become other numbers. */
const RecordedTool = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.string().refine(isObjectText, 'not the JSON of an object'),
});
const Turns = z.array(z.array(RecordedTool)).min(1);

/** Where the tasks are, as the config names it. If the path of a bundle starts with a dot, it is relative to the recording. */
const Server = z.union([
  z.object({ url: z.string().min(1) }),
  z.object({ bundle: z.string().min(1), framework: z.string(), sandbox: z.string().exactOptional() }),
]);

/** Strict, because an unknown key may change what the tasks mean. */
export const Header = z.strictObject({
  type: z.literal('gymgen-recording'),
  format: z.literal(RECORDING_FORMAT),
  server: Server,
  environment: z.string().min(1),
  provided: z.boolean().exactOptional(),
  action: z.object({ fixed: z.record(z.string(), z.string().refine(isJsonText, 'not JSON')) }).exactOptional(),
  rewardRule: z.literal('sum').exactOptional(),
  splits: z.array(z.object({ name: z.string().min(1), count: Count.min(1) })).min(1),
});
export type Header = z.infer<typeof Header>;

export const Line = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('split'),
    name: z.string(),
    /** Number of tasks that the source served, if more than were recorded. */
    served: Count.exactOptional(),
  }),
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
  z.strictObject({
    type: z.literal('end'),
    tasks: Count,
    toolsets: z.array(
      z.object({
        toolset: Count,
        key: z.string(),
        tasks: z.array(Ref),
        agents: z.array(z.string()).exactOptional(),
        turns: Turns,
      }),
    ),
    /** The value of `--probes`. */
    probes: z.union([Count, z.literal('all')]).exactOptional(),
    /** Splits that were not recorded. */
    otherSplits: z.array(z.string()).exactOptional(),
    /** Of the lines before, and of this line without this key, as hex digits. */
    sha256: z.string().exactOptional(),
  }),
]);
export type Line = z.infer<typeof Line>;

function isJsonText(text: string): boolean {
  return isObjectText(`{"value":${text}}`);
}

function isObjectText(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}
