import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import { UserError } from '../errors.js';
import type { WriteRequest } from '../write.js';
import type { WriteFlags } from './write-options.js';

const whole = (least: number) =>
  z
    .string()
    .regex(/^\d+$/, 'wants a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `wants ${least} or more`).max(Number.MAX_SAFE_INTEGER, 'is too large'));

const seconds = z
  .string()
  .transform(Number)
  .pipe(z.number('wants a number of seconds').min(0.001, 'wants 0.001 seconds or more').max(1e6, 'is too large'));

/** `K=V` or `K: V`, split at the first separator. */
const pair = (separator: '=' | ':', shape: string) =>
  z.string().transform((text, context) => {
    const at = text.indexOf(separator);
    const [key, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    if (at > 0 && key && value) return [key, value] as const;
    context.addIssue({ code: 'custom', message: `wants ${shape}` });
    return z.NEVER;
  });

const datasets = z.string().transform((text, context) => {
  const found: Record<string, string> = {};
  for (const part of text.split(',')) {
    const [, type, split] = /^(train|validation)=(.+)$/.exec(part.trim()) ?? [];
    if (!type || !split || type in found) {
      context.addIssue({ code: 'custom', message: 'wants train=SPLIT,validation=SPLIT, or one of the two' });
      return z.NEVER;
    }
    found[type] = split;
  }
  return found as { train?: string; validation?: string };
});

const Flags = z.object({
  name: z.string().optional(),
  split: z.array(z.string()).default([]),
  limit: whole(1).optional(),
  probes: z
    .union([z.literal('all').transform(() => Number.POSITIVE_INFINITY), whole(1)], 'wants a whole number or all')
    .default(32),
  probeTurns: z.enum(['first', 'all']).default('all'),
  maxSessions: whole(1).default(8),
  resetTimeout: seconds.optional(),
  toolTimeout: seconds.optional(),
  idleTimeout: seconds.optional(),
  renameTool: z.array(pair('=', 'OLD=NEW')).default([]),
  configUrl: z.string().optional(),
  reward: z.string().min(1, "wants a step's id").optional(),
  maxConcurrentEnvs: whole(1).optional(),
  sandbox: z.string().min(1, "wants a provider's name").optional(),
  absolute: z.boolean().optional(),
  python: z.string().min(1, 'wants a path').optional(),
  header: z.array(pair(':', "'Name: value'")).default([]),
  headerEnv: z.array(pair('=', "'Name=value with $VAR'")).default([]),
  maxSteps: whole(1).optional(),
  appendSystemPrompt: z.string().transform(textOrFile).optional(),
  datasets: datasets.optional(),
  license: z.string().optional(),
  fullIds: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  force: z.boolean().default(false),
});

/** What the gridsim demo and the main command have in common: flags, checked, become a request. */
export function writeRequest(url: string, gymRoot: string, flags: WriteFlags): WriteRequest {
  const parsed = Flags.safeParse(flags);
  if (!parsed.success) {
    const details = parsed.error.issues.map(({ path, message }) => `${flagOf(path[0])} ${message}`);
    throw new UserError('an option has a value that it can not have', { details, fix: 'see gymgen --help' });
  }
  const given = parsed.data;
  if ((given.datasets === undefined) !== (given.license === undefined)) {
    throw new UserError('--datasets and --license go together', {
      fix: "such as: --datasets train=train,validation=eval --license 'Apache 2.0'",
    });
  }
  const headerEnv = Object.fromEntries(given.headerEnv);
  const headers = { ...expanded(headerEnv), ...Object.fromEntries(given.header) };
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
  const { reward, maxConcurrentEnvs, sandbox, absolute, python } = given;
  const bundle = defined({ reward, maxConcurrentEnvs, sandbox, absolute, python });
  const { datasets, license, resetTimeout, toolTimeout, idleTimeout, maxSteps } = given;
  return {
    url,
    gymRoot,
    ...defined({ name: given.name, configUrl: given.configUrl }),
    ...(Object.keys(bundle).length > 0 ? { bundle } : {}),
    discover: {
      headers,
      splits: given.split,
      limit: given.limit ?? Number.POSITIVE_INFINITY,
      probes: given.probes,
      turns: given.probeTurns,
      maxSessions: given.maxSessions,
      resetTimeout: resetTimeout ?? 600,
      toolTimeout: toolTimeout ?? 60,
    },
    gym: {
      headers: headerEnv,
      renameTools: Object.fromEntries(given.renameTool),
      settings: defined({
        tool_timeout: toolTimeout,
        reset_timeout: resetTimeout,
        idle_timeout: idleTimeout,
        max_concurrent_envs: maxConcurrentEnvs,
        reward,
        max_steps: maxSteps,
      }),
      ...defined({ appendSystemPrompt: given.appendSystemPrompt }),
      ...(datasets && license ? { datasets: { ...datasets, license } } : {}),
      fullIds: given.fullIds,
    },
    record: recorded(flags, given.appendSystemPrompt),
    edits: given.force ? 'ours' : 'refuse',
    dropPrompts: given.force,
    dryRun: given.dryRun,
  };
}

/** Flags that say how a run goes; a `--header` may hold a secret, and a `--python` is of one machine. */
const UNRECORDED = ['header', 'python', 'dryRun', 'force'];

/** The flags that decide what is written, as they were given. */
function recorded(flags: WriteFlags, appendSystemPrompt: string | undefined): WriteRequest['record'] {
  const isSet = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  const decides = (key: string) => key in Flags.shape && !UNRECORDED.includes(key);
  const set = Object.entries({ ...flags, appendSystemPrompt }).filter(([key, value]) => decides(key) && isSet(value));
  return Object.fromEntries(set.sort(([a], [b]) => (a < b ? -1 : 1))) as WriteRequest['record'];
}

/** `$VAR` and `${VAR}` of `--header-env`, as the bridge reads them when Gym runs it. */
function expanded(headers: Record<string, string>): Record<string, string> {
  const fill = (value: string) =>
    value.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      const found = process.env[name];
      if (found) return found;
      throw new UserError(`--header-env names $${name}, which is not set`, { fix: `export ${name}=…` });
    });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
}

/** The value may be a secret, so that no message has it. */
function checkHeader(name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new UserError(`not a header that can be sent: ${name}`, {
      fix: "give it as 'Name: value', without spaces in its name and line ends in its value",
    });
  }
}

function textOrFile(value: string): string {
  if (!value.startsWith('@')) return value;
  const file = value.slice(1);
  try {
    return readFileSync(file, 'utf8').replace(/\r\n/g, '\n').trimEnd();
  } catch (cause) {
    throw new UserError(`can't read the text to append: ${(cause as Error).message}`, { where: file, cause });
  }
}

function flagOf(key: PropertyKey | undefined): string {
  return `--${String(key).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Without the keys that are undefined. */
function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
