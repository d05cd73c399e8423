import path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../errors.js';
import { RecordedFlags } from '../../options/flags.js';
import type { Flags } from '../../options/index.js';
import { describeIssues, LOCK_FILE } from '../../output/index.js';
import { gymgenCommand } from '../../printed-command.js';
import type { WrittenFolder } from '../../written/index.js';

/** Options of the command line that apply in addition to those of a lock file. */
export type LockFlags = Pick<
  Flags,
  | 'name'
  | 'source'
  | 'runSource'
  | 'header'
  | 'headerEnv'
  | 'tasks'
  | 'python'
  | 'maxSessions'
  | 'trustRecording'
  | 'strict'
>;

/** The part of a lock file from which its folder can be generated again. */
export interface Recorded {
  /** A URL, or a bundle's folder or name. */
  source: string;
  /** The sandbox provider that a bundle's environments are deployed on. */
  sandbox?: string | undefined;
  /** Options that decide what is generated. */
  options: Flags;
}

/**
 * Reads the source and the options of a lock file, which may come with someone else's repository: only options on a closed
 * list, with values that the command line would accept.
 * @throws UserError that names the invalid keys
 */
export function recordedIn({ name, folder, lock }: WrittenFolder): Recorded {
  const where = path.join(folder, LOCK_FILE);
  const { source, sandbox, options = {} } = lock;
  if (!source) {
    throw new UserError('lock file does not name a source', {
      where,
      fix: `write the folder again: ${gymgenCommand`<source> <gym-root>`}`,
    });
  }
  const checked = RecordedFlags.extend({ name: z.literal(name).optional() }).safeParse(options);
  if (checked.success) return { source, sandbox, options: options as Flags };
  throw new UserError('lock file has invalid options', {
    where,
    details: describeIssues(checked.error, ['options']),
    fix: `remove them from the lock file, or write the folder again: ${gymgenCommand`<source> <gym-root> --name ${name}`}`,
  });
}
