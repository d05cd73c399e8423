// The checkout: installs its npm packages and builds it, each only if it is out of date.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const modified = (path) => (existsSync(join(root, path)) ? statSync(join(root, path)).mtimeMs : 0);

/** Runs npm. Its output goes to stderr, because stdout is for results. */
function npm(...args) {
  const { status, error } = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
}

/** npm writes node_modules/.package-lock.json after each install. */
export function ensureInstalled() {
  if (modified('node_modules/.package-lock.json') >= modified('package-lock.json')) return;
  npm('ci', '--no-audit', '--no-fund', '--loglevel', 'error');
}

export function ensureBuilt() {
  const stamp = 'node_modules/.gymgen-built'; // start of the last successful build; not in dist/, which is published
  const under = (folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name));
  const templates = under('templates/server').filter((path) => path.endsWith('.hbs'));
  const sources = [...under('src'), ...templates, ...under('templates/report')];
  const scripts = ['scripts/build.mjs', 'scripts/handlebars.mjs', 'scripts/page-assets.mjs'];
  const beside = ['package-lock.json', ...scripts, 'tsconfig.json', 'tsconfig.build.json'];
  const newest = Math.max(...['src', ...beside, ...sources].map(modified));
  if (existsSync(join(root, 'dist')) && modified(stamp) > newest) return;
  rmSync(join(root, stamp), { force: true });
  const began = Date.now();
  npm('run', '--silent', 'build');
  writeFileSync(join(root, stamp), '');
  utimesSync(join(root, stamp), began / 1000, began / 1000);
}
