import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Discovery, DiscoverySummary, GymOptions, TextFile } from '../model.js';
import { config, SETTING_LINES } from './config.js';
import { namesOf } from './names.js';
import { render, TEMPLATES, type Template } from './templates.js';

const BRIDGE = 'openenv_bridge';

/** The files that Gym runs and people read. None holds a text of the server but the config, and that quotes it. */
export function serverFiles(discovery: Discovery, summary: DiscoverySummary, options: GymOptions): TextFile[] {
  const names = namesOf(options.name);
  const given = discovery.provided ?? false;
  const content = (path: Template, values: object = {}) => ({ path, content: render(path, values) });
  return [
    { path: names.config, content: config(discovery, options), settings: SETTING_LINES },
    content('app.py'),
    content('pyproject.toml', { project: names.project, framework: framework(options) }),
    content('task_data.py', { given }),
    content('tests/test_app.py', { names }),
    content('README.md', readme(discovery, summary, options)),
  ];
}

/** What the folder's venv needs to serve a bundle, at the version that the rows were written with. */
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
    given: discovery.provided ?? false,
    splits: discovery.splits,
    /** The split to play in the examples: the smallest is the quickest. */
    example: discovery.splits.reduce((least, split) => (split.count < least.count ? split : least)).name,
    endTurn: toolsets.some(({ turns }) => turns.length > 1) ? (renameTools.end_turn ?? 'end_turn') : null,
    datasets: datasets !== undefined,
  };
}

/** The Python package as it is, and nobody's caches: a `.pyc` is refused where folders become packages. */
export function bridge(): TextFile[] {
  const found = readdirSync(join(TEMPLATES, BRIDGE), { recursive: true, encoding: 'utf8' });
  const paths = found
    .map((file) => `${BRIDGE}/${file.split(sep).join('/')}`)
    .filter((path) => /(?:\.py|\/py\.typed)$/.test(path) && !/\/(?:\.|__pycache__)/.test(path))
    .sort();
  return paths.map((path) => ({ path, content: readFileSync(join(TEMPLATES, path), 'utf8') }));
}
