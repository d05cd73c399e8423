import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Discovery } from '../discover/types.js';
import type { CopyFile, OutputFile } from '../output/types.js';
import { config, SETTING_LINES } from './config.js';
import { namesOf } from './names.js';
import type { GymOptions } from './options.js';
import { render, TEMPLATES } from './templates.js';

const BRIDGE = 'openenv_bridge';

/** The files that Gym runs and people read. None holds a text of the server but the config, and that quotes it. */
export async function serverFiles(discovery: Discovery, options: GymOptions): Promise<OutputFile[]> {
  const names = namesOf(options.name);
  const given = discovery.given ?? false;
  const content = async (path: string, values: object = {}) => ({ path, content: await render(path, values) });
  return [
    { path: names.config, content: await config(discovery, options), settings: SETTING_LINES },
    await content('app.py'),
    await content('pyproject.toml', { project: names.project, framework: framework(options) }),
    await content('task_data.py', { given }),
    await content('tests/test_app.py', { names }),
    await content('README.md', readme(discovery, options)),
    ...(await bridge()),
  ];
}

/** What the folder's venv needs to serve a bundle, at the version that the rows were written with. */
function framework({ server }: GymOptions): string | null {
  return 'bundle' in server ? `agentenv-framework[openenv]==${server.framework}` : null;
}

function readme(discovery: Discovery, { name, server, renameTools, datasets }: GymOptions): object {
  return {
    bundle: 'bundle' in server,
    names: namesOf(name),
    given: discovery.given ?? false,
    splits: discovery.splits,
    /** The split to play in the examples: the smallest is the quickest. */
    example: discovery.splits.reduce((least, split) => (split.count < least.count ? split : least)).name,
    endTurn: discovery.toolsets().some(({ turns }) => turns.length > 1) ? (renameTools.end_turn ?? 'end_turn') : null,
    datasets: datasets !== undefined,
  };
}

/** The Python package as it is, and nobody's caches: a `.pyc` is refused where folders become packages. */
async function bridge(): Promise<CopyFile[]> {
  const found = await readdir(join(TEMPLATES, BRIDGE), { recursive: true });
  return found
    .map((file) => `${BRIDGE}/${file.split(sep).join('/')}`)
    .filter((path) => /(?:\.py|\/py\.typed)$/.test(path) && !/\/(?:\.|__pycache__)/.test(path))
    .sort()
    .map((path) => ({ path, copy: join(TEMPLATES, path) }));
}
