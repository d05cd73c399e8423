import * as z from 'zod';
import { LOCK_FILE, LOCK_FORMAT } from './places.js';
import { folded, isSafePath, isShortPath } from './safe-path.js';

// A lock file may come with a repository that someone else wrote, and files that it lists get deleted: check its paths.
const Path = z
  .string()
  .refine(
    (path) => isShortPath(path) && isSafePath(path) && folded(path) !== folded(LOCK_FILE),
    'not a path inside the folder',
  );
const Hash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'not a hash');

/** What `gymgen.lock.json` holds. Keys that a later gymgen adds are no error; `format` changes where one could be misread. */
export const LockSchema = z.looseObject({
  format: z.literal(LOCK_FORMAT).describe('Raised when an older gymgen would misread the file, and refuses it.'),
  source: z
    .string()
    .optional()
    .describe("Where the config says that the tasks are: a URL, or a bundle's folder (from the config's own) or name."),
  sandbox: z
    .string()
    .min(1)
    .optional()
    .describe("The sandbox provider that the config names for a bundle's environments."),
  options: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'The options of the command line that decide what is written, by their name in camel case. A closed list: docs/lock.md.',
    ),
  toolsets: z
    .array(z.looseObject({ key: z.string(), tools: z.array(z.string()), turns: z.int() }))
    .optional()
    .describe("What the server's toolsets were, in short; toolsets.json has all of them."),
  files: z
    .record(Path, Hash)
    .describe(
      'Every file as it was generated: SHA-256 with CR LF as LF, without its settings and without kept prompts.',
    ),
  theirs: z
    .record(Path, Hash)
    .optional()
    .describe('Files that were edited by hand and are to stay so (gymgen update --theirs), as they are.'),
  keptPrompts: z
    .array(Path)
    .optional()
    .describe('Files of rows in which prompts were edited by hand and are to stay so (gymgen update --keep-prompts).'),
  prompts: z
    .record(Path, z.base64())
    .optional()
    .describe("By file of rows, what each row's prompts were known by: the first 24 bits of the CRC-32 of its input."),
});

/** What `gymgen.lock.json` says: what the folder was generated from, and the hash of every file as it was generated. */
export type Lock = z.infer<typeof LockSchema>;
