// Checks that read files and nothing else needn't run again while these are the same: what they passed with is kept.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';

const stampOf = (check) => join(root, '.venvs', 'passed', check.name.replaceAll(/\W+/g, '-'));

/** @param inputs folders, the `name` of files in them that count, and `files` beside them */
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

/** Whether it passed with what its inputs are now. */
export function hasPassed(check) {
  try {
    return check.inputs !== undefined && readFileSync(stampOf(check), 'utf8') === digest(check.inputs);
  } catch {
    return false; // it never did
  }
}

export function notePassed(check) {
  if (check.inputs === undefined) return;
  mkdirSync(join(root, '.venvs', 'passed'), { recursive: true });
  writeFileSync(stampOf(check), digest(check.inputs));
}
