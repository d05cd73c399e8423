/**
 * Upper bounds on what an untrusted source can make gymgen hold or work on. `docs/limits.md` lists them; an input past a
 * bound is refused with an error that names the bound.
 */
export const LIMITS = {
  /** Bytes of one HTTP answer, unpacked, and of one websocket frame. */
  answerBytes: 128 * 2 ** 20,
  /** JSON values (objects, arrays, strings, numbers, …) in one answer, frame or line. */
  jsonValues: 2_000_000,
  /** Seconds for one whole HTTP answer, however steadily its bytes arrive. */
  answerSeconds: 600,
  /** Splits of a server, a recording or a tasks file. */
  splits: 1000,
  /** Tools in one turn. */
  toolsPerTurn: 1000,
  /** Bytes of one tool's JSON schema. */
  schemaBytes: 2 ** 20,
  /** Bytes of a line of a recording, a tasks file or a rows file. */
  lineBytes: 128 * 2 ** 20,
  /** Bytes of a lock file. */
  lockBytes: 64 * 2 ** 20,
  /** JSON values in a lock file. */
  lockValues: 1_000_000,
  /** Levels of nested lists and objects in a lock file. */
  lockDepth: 100,
  /** Files in a lock file. */
  lockFiles: 5000,
  /** Folders in `resources_servers/` of a Gym root. */
  rootFolders: 10_000,
  /** Bytes of a config, a batch file or an `openenv.yaml`. */
  configBytes: 2 ** 20,
  /** Keys in a config, a batch file or an `openenv.yaml`. */
  configKeys: 10_000,
  /** Levels of nested lists and maps in a config. */
  configDepth: 100,
} as const;
