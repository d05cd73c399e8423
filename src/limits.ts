import { formatCount } from './display-text.js';
import { UserError } from './errors.js';

/**
 * Upper bounds on the memory and work that an untrusted source can cause. `docs/limits.md` lists them. Input over a
 * limit is rejected with an error that names the limit and its value.
 */
export const LIMITS = {
  /** Bytes of one HTTP response after decompression, and of one WebSocket frame. */
  responseBytes: 128 * 2 ** 20,
  /** Seconds for one whole HTTP response, even if its bytes keep arriving. */
  responseSeconds: 600,
  /** Seconds for the handshake of a WebSocket. */
  handshakeSeconds: 30,
  /** Seconds that one request waits for a busy server that sends Retry-After. */
  retrySeconds: 120,
  /** JSON values and keys in one response, frame, line or `.json` file. */
  jsonValues: 1_000_000,
  /** Nested arrays and objects in one response that is not a page of tasks, and in one frame. */
  jsonDepth: 1000,
  /** Splits of a server, a recording or a tasks file. */
  splits: 1000,
  /** Toolsets of one source. */
  toolsets: 10_000,
  /** Bytes of all tools of all toolsets of one source. */
  toolsetsBytes: 256 * 2 ** 20,
  /** Turns of one task. */
  turns: 100,
  /** Tools in one turn. */
  toolsPerTurn: 1000,
  /** Bytes of one tool's JSON schema. */
  schemaBytes: 2 ** 20,
  /** Bytes of one tool's description. */
  descriptionBytes: 64 * 1024,
  /** Bytes of all tools of one turn: names, descriptions and schemas. */
  turnBytes: 16 * 2 ** 20,
  /** Values of an action's schema, with its references replaced. */
  actionValues: 20_000,
  /** References of an action's schema that lead to each other. */
  actionReferences: 64,
  /** Bytes of a line of a recording, a tasks file or a rows file, and of a `.json` tasks file. */
  lineBytes: 128 * 2 ** 20,
  /** Bytes of a lock file. */
  lockBytes: 64 * 2 ** 20,
  /** Levels of nested lists and objects in a lock file. */
  lockDepth: 100,
  /** Files in a lock file. */
  lockFiles: 5000,
  /** Bytes of the journal of an interrupted write. */
  journalBytes: 16 * 2 ** 20,
  /** Bytes of the file that names the process that writes a folder. */
  ownerBytes: 4096,
  /** Folders in `resources_servers/` of a Gym root. */
  rootFolders: 10_000,
  /** Bytes of a config, a batch file, a list of sources, an `openenv.yaml` or a `pyproject.toml`. */
  configBytes: 256 * 1024,
  /** Keys and items in a config, a batch file or an `openenv.yaml`. */
  configKeys: 5000,
  /** Levels of nested lists and maps in a config, a batch file or an `openenv.yaml`. */
  configDepth: 100,
  /** Values that the aliases of a YAML file repeat. */
  configAliases: 1000,
  /** Files and folders of a package, or of a Gym root, that is validated. */
  packageEntries: 200_000,
  /** Bytes of one row that is written or validated. */
  rowBytes: 16 * 2 ** 20,
  /** Bytes of a text that an option reads from a file, as in `--prompt @FILE`. */
  textBytes: 2 ** 20,
  /** Bytes of the different keys, by place, in the rows of a file that a trainer's loader merges. */
  rowKeyBytes: 16 * 2 ** 20,
  /** Rollouts of one file, or rows of one server, in a report. */
  reportRollouts: 100_000,
  /** Bytes of the compressed conversations in a report. */
  reportBytes: 256 * 2 ** 20,
} as const;

export type LimitName = keyof typeof LIMITS;

/** The start of the message for input over a limit. */
const PROBLEMS: Record<LimitName, string> = {
  responseBytes: 'response too large',
  responseSeconds: 'response took too long',
  handshakeSeconds: 'WebSocket handshake took too long',
  retrySeconds: 'server asks to wait too long',
  jsonValues: 'too many JSON values',
  jsonDepth: 'JSON nested too deeply',
  splits: 'too many splits',
  toolsets: 'too many toolsets',
  toolsetsBytes: 'toolsets too large',
  turns: 'too many turns',
  toolsPerTurn: 'too many tools in a turn',
  schemaBytes: 'tool schema too large',
  descriptionBytes: 'tool description too large',
  turnBytes: 'tools of a turn too large',
  actionValues: 'action schema too large',
  actionReferences: 'action schema has too many nested references',
  lineBytes: 'line too long',
  lockBytes: 'lock file too large',
  lockFiles: 'too many files in the lock file',
  lockDepth: 'lock file nested too deeply',
  journalBytes: 'journal too large',
  ownerBytes: 'owner file too large',
  rootFolders: 'too many folders in the Gym root',
  configBytes: 'file too large',
  configKeys: 'too many keys and items',
  configDepth: 'nested too deeply',
  configAliases: 'too many YAML aliases',
  packageEntries: 'too many files and folders',
  rowBytes: 'row too large',
  textBytes: 'text file too large',
  rowKeyBytes: 'too many different keys in the rows',
  reportRollouts: 'too many rollouts for a report',
  reportBytes: 'report too large',
};

/**
 * The message for input over a limit: `too many splits: the limit is 1,000 (splits)`.
 * @param limit the number in force, if it is not the default
 */
export function limitMessage(name: LimitName, limit: number = LIMITS[name]): string {
  return `${PROBLEMS[name]}: the limit is ${amount(name, limit)} (${name})`;
}

export class OverLimit extends UserError {
  override readonly name = 'OverLimit';
  override readonly code = 'limit';
}

/** The error for input over a limit. */
export function overLimit(name: LimitName, parts: { where: string; fix?: string; limit?: number }): OverLimit {
  const { where, fix = 'reduce it; docs/limits.md lists the limits', limit } = parts;
  return new OverLimit(limitMessage(name, limit), { where, fix });
}

/** A limit as messages and docs show it: `1,000`, `128 MiB`, `30 s`. */
export function amount(name: LimitName, limit: number = LIMITS[name]): string {
  if (name.endsWith('Seconds')) return `${formatCount(limit)} s`;
  if (!name.endsWith('Bytes')) return formatCount(limit);
  const units: [number, string][] = [
    [2 ** 20, 'MiB'],
    [1024, 'KiB'],
  ];
  const [size, unit] = units.find(([size]) => limit >= size && limit % size === 0) ?? [1, 'bytes'];
  return `${formatCount(limit / size)} ${unit}`;
}
