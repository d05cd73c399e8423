import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { GENERATOR_REVISION } from '../../src/gym/index.js';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const STATE = fileURLToPath(new URL('revision.json', import.meta.url));

/** What a revision stands for: a hash of each template, and of what is generated for each golden folder. */
function hashes(): Record<string, string> {
  const golden = readdirSync(join(REPOSITORY, 'fixtures/golden'));
  const folders = ['templates/server', ...golden.map((name) => `fixtures/golden/${name}`)];
  return Object.fromEntries(folders.map((folder) => [folder, hashOf(join(REPOSITORY, folder))]));
}

function hashOf(folder: string): string {
  const hash = createHash('sha256');
  const isOurs = (file: string) => !/__pycache__|\.pyc$|gymgen\.lock\.json$/.test(file);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isOurs).sort();
  for (const file of files) {
    const path = join(folder, file);
    if (statSync(path).isFile()) hash.update(`${file}\0${readFileSync(path, 'utf8')}\0`);
  }
  return hash.digest('hex').slice(0, 16);
}

test('a change of the templates or of what is generated raises the revision (then: GYMGEN_UPDATE_GOLDEN=1)', () => {
  const now = { revision: GENERATOR_REVISION, hashes: hashes() };
  const before: typeof now = JSON.parse(readFileSync(STATE, 'utf8'));
  const changed = Object.keys(before.hashes).filter((name) => before.hashes[name] !== now.hashes[name]);
  expect(now.revision).toBeGreaterThanOrEqual(before.revision);
  if (changed.length > 0) expect(now.revision, `raise GENERATOR_REVISION: ${changed}`).toBeGreaterThan(before.revision);
  if (process.env.GYMGEN_UPDATE_GOLDEN === '1') writeFileSync(STATE, `${JSON.stringify(now, null, 2)}\n`);
  else expect(before).toEqual(now);
});
