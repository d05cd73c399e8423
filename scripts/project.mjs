// The checkout: installs its npm packages and builds it, each only if it is out of date.

import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { during } from './during.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

const modified = (path) => (existsSync(join(root, path)) ? statSync(join(root, path)).mtimeMs : 0);

/** npm writes node_modules/.package-lock.json after each install. */
export async function ensureInstalled() {
  if (modified('node_modules/.package-lock.json') >= modified('package-lock.json')) return;
  const args = ['ci', '--no-audit', '--no-fund', '--no-progress', '--loglevel', 'error'];
  await during('installing the npm packages', 'npm', args, { cwd: root });
}

// Stamps with the start time of the last successful step. They are not in dist/, which is published.
const BUNDLED = 'node_modules/.gymgen-bundled';
const TYPED = 'node_modules/.gymgen-typed';

/** Bundles gymgen. Running gymgen needs no other step. */
export async function ensureBundled() {
  const under = (folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name));
  const templates = under('templates/server').filter((path) => path.endsWith('.hbs'));
  const sources = [...under('src'), ...templates, ...under('templates/report')];
  const scripts = ['scripts/build.mjs', 'scripts/build-types.mjs', 'scripts/handlebars.mjs', 'scripts/page-assets.mjs'];
  const beside = ['package-lock.json', ...scripts, 'tsconfig.json', 'tsconfig.build.json'];
  const newest = Math.max(...['src', ...beside, ...sources].map(modified));
  if (existsSync(join(root, 'dist')) && modified(BUNDLED) > newest) return;
  await step(BUNDLED, 'building gymgen', process.execPath, [join(root, 'scripts/build.mjs')]);
}

/** Bundles gymgen, which removes the types, and writes the types. */
export async function ensureBuilt() {
  await ensureBundled();
  if (modified(TYPED) > modified(BUNDLED)) return;
  await step(TYPED, "writing gymgen's types", process.execPath, [join(root, 'scripts/build-types.mjs')]);
}

async function step(stamp, what, command, args) {
  rmSync(join(root, stamp), { force: true });
  const began = Date.now();
  await during(what, command, args, { cwd: root });
  writeFileSync(join(root, stamp), '');
  utimesSync(join(root, stamp), began / 1000, began / 1000);
}
