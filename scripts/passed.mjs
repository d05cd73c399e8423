// Skips a check that depends only on files, if it has passed with the same files before.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './project.mjs';

/** A hash of all files in `folders` whose name matches `name`, and of `files`. */
function digest({ folders, name, files }) {
  const found = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && name.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length)),
  );
  const hash = createHash('sha256');
  for (const path of [...found, ...files].sort())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex');
}

/**
 * Whether a check has passed with its current inputs (`known`). `note` records that it passed with these inputs, even
 * if they change later.
 */
export function passing({ name, inputs }) {
  if (inputs === undefined) return { known: false, note() {} };
  const stamp = join(root, '.venvs', 'passed', name.replaceAll(/\W+/g, '-'));
  const now = digest(inputs);
  return {
    known: existsSync(stamp) && readFileSync(stamp, 'utf8') === now,
    note() {
      mkdirSync(dirname(stamp), { recursive: true });
      writeFileSync(stamp, now);
    },
  };
}
