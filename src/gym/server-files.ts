import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Discovery, DiscoverySummary, GymOptions, TextFile } from '../model.js';
import { config, SETTING_LINES } from './config.js';
import { namesOf } from './names.js';
import { render, TEMPLATES, type Template } from './templates.js';

/** The files that Gym runs and people read. Only the config contains text of the server, and it quotes that text. */
export function serverFiles(discovery: Discovery, summary: DiscoverySummary, options: GymOptions): TextFile[] {
  const names = namesOf(options.name);
  const provided = discovery.provided ?? false;
  const content = (path: Template, values: object = {}) => ({ path, content: render(path, values) });
  return [
    { path: names.config, content: config(discovery, options), settings: SETTING_LINES },
    content('app.py', { bundle: 'bundle' in options.server }),
    content('pyproject.toml', { project: names.project, framework: framework(options) }),
    content('task_data.py', { provided }),
    content('tests/test_app.py', { names }),
    content('README.md', readme(discovery, summary, options)),
  ];
}

/** The dependency that serves a bundle, at the version with which the rows were generated. */
function framework({ server }: GymOptions): string | null {
  return 'bundle' in server ? `agentenv-framework[openenv]==${server.framework}` : null;
}

function readme(
  discovery: Discovery,
  { toolsets }: DiscoverySummary,
  { name, server, renameTools, datasets }: GymOptions,
): object {
  return {
    bundle: 'bundle' in server,
    names: namesOf(name),
    provided: discovery.provided ?? false,
    splits: discovery.splits,
    /** The split in the example commands: the smallest, because it is the quickest to run. */
    example: discovery.splits.reduce((least, split) => (split.count < least.count ? split : least)).name,
    endTurn: toolsets.some(({ turns }) => turns.length > 1) ? (renameTools.end_turn ?? 'end_turn') : null,
    datasets: datasets !== undefined,
  };
}

/** The Python packages that `app.py` imports: the bridge and, if the config has a bundle, the process that serves it. */
export function pythonPackages({ server }: GymOptions): TextFile[] {
  return ['openenv_bridge', ...('bundle' in server ? ['bundle_child'] : [])].flatMap(pythonPackage);
}

/** A package without its caches: NeMo Platform refuses a `.pyc` in a package. */
function pythonPackage(name: string): TextFile[] {
  const found = readdirSync(join(TEMPLATES, name), { recursive: true, encoding: 'utf8' });
  const paths = found
    .map((file) => `${name}/${file.split(sep).join('/')}`)
    .filter((path) => /(?:\.py|\/py\.typed)$/.test(path) && !/\/(?:\.|__pycache__)/.test(path))
    .sort();
  return paths.map((path) => ({ path, content: readFileSync(join(TEMPLATES, path), 'utf8') }));
}
