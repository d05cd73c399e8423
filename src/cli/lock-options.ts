import path from 'node:path';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { describeIssues, LOCK_FILE } from '../output/index.js';
import type { WrittenFolder } from '../written/index.js';
import type { WriteFlags } from './write-options.js';
import { RecordedFlags } from './write-request.js';

/** What a lock file says that its folder was written from. */
export interface Recorded {
  /** A URL, or a bundle's folder or name. */
  source: string;
  /** The sandbox provider that a bundle's environments are deployed on. */
  sandbox?: string | undefined;
  /** Options that decide what is written. */
  options: WriteFlags;
}

// With an @ in front, it would be read as the name of a file.
const Text = z.string().regex(/^[^@]/, 'names a file: give the option again with gymgen write').optional();
const Options = RecordedFlags.extend({ appendSystemPrompt: Text, prompt: Text, toolDoc: Text });

/**
 * Reads the source and the options of a lock file, which may come with someone else's repository: only options on a closed
 * list, with values that the command line would take.
 * @throws UserError that names the keys
 */
export function recordedIn({ name, folder, lock }: WrittenFolder): Recorded {
  const where = path.join(folder, LOCK_FILE);
  const { source, sandbox, options = {} } = lock;
  if (!source) {
    throw new UserError('lock file does not name a source', {
      where,
      fix: 'write the folder again: gymgen <source> <gym-root>',
    });
  }
  const checked = Options.extend({ name: z.literal(name).optional() }).safeParse(options);
  if (checked.success) return { source, sandbox, options: options as WriteFlags };
  throw new UserError('lock file has options that it cannot hold', {
    where,
    details: describeIssues(checked.error, ['options']),
    fix: `remove them from the lock file, or write the folder again: gymgen <source> <gym-root> --name ${name}`,
  });
}
