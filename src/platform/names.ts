import { createHash } from 'node:crypto';
import { UserError } from '../errors.js';
import type { FileFacts } from '../output/index.js';

/** Names of entities: `NAME_PATTERN` in nemo_helix_plugin/entity_naming.py (0.8.1). */
const NAME = /^[a-z](?!.*--)[a-z0-9\-@.+_]{1,62}(?<!-)$/;
/** Room for `-rows-` and the digest. */
const LONGEST_BASE = 40;

/** The start of a file set's name: `gridsim_v1` becomes `gridsim-v1`; of several servers, the first and their number. */
export function baseName(servers: readonly string[]): string {
  const words = (servers[0] ?? '').replace(/[^a-z0-9]+/g, '-').slice(0, LONGEST_BASE);
  const base = words.replace(/^-+|(?<!-)-+$/g, '');
  return servers.length === 1 ? base : `${base}-and-${servers.length - 1}`;
}

/** The first 8 hex digits of a digest of all files: their paths and contents. */
export function digestOf(files: readonly FileFacts[]): string {
  const hash = createHash('sha256');
  for (const { path, hash: content } of files) hash.update(`${JSON.stringify(path)} ${content}\n`);
  return hash.digest('hex').slice(0, 8);
}

/** @throws UserError if NeMo Platform does not take the name for a file set */
export function assertName(option: string, name: string): void {
  if (NAME.test(name)) return;
  throw new UserError(`not a name that NeMo Platform accepts: ${JSON.stringify(name)}`, {
    where: option,
    details: [
      '2 to 63 lower-case letters, digits and - @ . + _, starting with a letter, without -- and no - at the end',
    ],
    fix: 'choose another name',
  });
}
