import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { REWARD_RULES } from '../gym/index.js';
import type { WriteRequest } from '../operations/write.js';
import { gymgenCommand } from '../printed-command.js';
import { isOwnHeader } from '../rules/index.js';
import { pairs, programPath, textOrFile, whole } from './flag-types.js';
import { TASK_FLAGS, taskRequest } from './task-flags.js';
import type { WriteFlags } from './write-options.js';

const seconds = z
  .string()
  .transform(Number)
  .pipe(z.number('wants a number of seconds').min(0.001, 'wants 0.001 seconds or more').max(1e6, 'is too large'));

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

/** Names of headers are the same in any case. */
const lowerCase = (name: string) => name.toLowerCase();

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
  renameTool: pairs('=', 'OLD=NEW'),
  configUrl: z.string().optional(),
  reward: z.string().min(1, "wants a step's id").optional(),
  maxConcurrentEnvs: whole(1).optional(),
  sandbox: z.string().min(1, "wants a provider's name").optional(),
  absolute: z.boolean().optional(),
  python: z.string().min(1, 'wants a path').optional(),
  trustRecording: z.boolean().optional(),
  header: pairs(':', "'Name: value'", lowerCase),
  headerEnv: pairs('=', "'Name=value with $VAR'", lowerCase),
  maxSteps: whole(1).optional(),
  appendSystemPrompt: z.string().transform(textOrFile).optional(),
  datasets: datasets.optional(),
  license: z.string().optional(),
  fullIds: z.boolean().default(false),
  rewardRule: z.enum(REWARD_RULES, `wants one of ${REWARD_RULES.join(', ')}`).optional(),
  ...TASK_FLAGS,
  dryRun: z.boolean().default(false),
  force: z.boolean().default(false),
  strict: z.boolean().default(false),
});

/**
 * A flag of another command that wants a whole number.
 * @throws UserError where it is none, or less than `least`
 */
export function wholeNumber(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const parsed = whole(least).safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UserError(`${flag} ${parsed.error.issues[0]?.message}`);
}

/** What the gridsim demo and the main command have in common: flags, checked, become a request. */
export function writeRequest(source: string, gymRoot: string, flags: WriteFlags): WriteRequest {
  const parsed = Flags.safeParse(flags);
  if (!parsed.success) {
    const details = parsed.error.issues.map(({ path, message }) => `${flagOf(path[0])} ${message}`);
    throw new UserError('an option has a value that it can not have', { details, fix: `see ${gymgenCommand`--help`}` });
  }
  const given = parsed.data;
  if ((given.datasets === undefined) !== (given.license === undefined)) {
    throw new UserError('--datasets and --license go together', {
      fix: "such as: --datasets train=train,validation=eval --license 'Apache 2.0'",
    });
  }
  for (const [name, value] of given.headerEnv) assertVariable(name, value);
  const headerEnv = Object.fromEntries(given.headerEnv);
  const headers = { ...expanded(headerEnv), ...Object.fromEntries(given.header) };
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
  const { reward, maxConcurrentEnvs, sandbox, absolute } = given;
  const python = given.python && programPath(given.python, process.cwd());
  const bundle = defined({ reward, maxConcurrentEnvs, sandbox, absolute, python });
  const { appendSystemPrompt, datasets, license, resetTimeout, toolTimeout, idleTimeout, maxSteps } = given;
  return {
    source,
    gymRoot,
    ...defined({ name: given.name, configUrl: given.configUrl, trustRecording: given.trustRecording }),
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
      ...taskRequest(given),
      bounded: maxSteps !== undefined,
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
        reward_rule: given.rewardRule,
        max_steps: maxSteps,
      }),
      ...defined({ appendSystemPrompt }),
      ...(datasets && license ? { datasets: { ...datasets, license } } : {}),
      fullIds: given.fullIds,
    },
    record: recorded(flags, defined({ appendSystemPrompt, prompt: given.prompt, toolDoc: given.toolDoc })),
    edits: given.force ? 'ours' : 'refuse',
    dropPrompts: given.force,
    dryRun: given.dryRun,
    strict: given.strict,
  };
}

/**
 * Flags that a lock file never holds among its options: they say how one run goes, or the lock file says it elsewhere
 * (`source` and `sandbox`, as in the config). A `--header` may hold a secret, and a `--python` is of one machine.
 */
const UNRECORDED = {
  header: true,
  python: true,
  trustRecording: true,
  dryRun: true,
  force: true,
  strict: true,
  absolute: true,
  sandbox: true,
} as const;

/** The closed list of options that a lock file may hold, checked as those of the command line are. */
export const RecordedFlags = Flags.omit(UNRECORDED).strict();

/**
 * The flags that decide what is written, as they were given.
 * @param texts of flags that may have named a file
 */
function recorded(flags: WriteFlags, texts: Pick<WriteFlags, 'appendSystemPrompt' | 'prompt' | 'toolDoc'>) {
  const isSet = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  const decides = (key: string) => key in RecordedFlags.shape;
  const set = Object.entries({ ...flags, ...texts }).filter(([key, value]) => decides(key) && isSet(value));
  return Object.fromEntries(set.sort(([a], [b]) => (a < b ? -1 : 1))) as WriteRequest['record'];
}

const VARIABLE = /\$(?:\{(\w+)\}|(\w+))/g;

/** The config holds the value as it is, so it must not be the secret itself. */
function assertVariable(name: string, value: string): void {
  if (value.search(VARIABLE) !== -1) return;
  throw new UserError(`--header-env ${name} has no $VAR in its value`, {
    details: ['the value is written into the config; a shell replaces $VAR in double quotes'],
    fix: `export the value as a variable, and use single quotes: --header-env '${name}=$VAR'`,
  });
}

/** `$VAR` and `${VAR}` of `--header-env`, as the bridge reads them when Gym runs it. */
function expanded(headers: Record<string, string>): Record<string, string> {
  const fill = (value: string) =>
    value.replace(VARIABLE, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      const found = process.env[name];
      if (found) return found;
      throw new UserError(`--header-env names $${name}, which is not set`, { fix: `export ${name}=…` });
    });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
}

/** The value may be a secret, so that no message has it. */
function checkHeader(name: string, value: string): void {
  if (isOwnHeader(name)) throw new UserError(`HTTP sets the header ${name} itself`, { fix: 'leave it out' });
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new UserError(`not a header that can be sent: ${name}`, {
      fix: "give it as 'Name: value', without spaces in its name and line ends in its value",
    });
  }
}

function flagOf(key: PropertyKey | undefined): string {
  return `--${String(key).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Without the keys that are undefined. */
function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
