// The package that npm would publish: it is packed, installed into an empty folder, and run from there.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { withoutTime } from '../support/without-time.js';
import { folderOf, plainEnv, snapshot, tempFolder } from './support/gymgen.js';
import { endings } from './support/processes.js';
import { gridsim } from './support/servers.js';
import { REPOSITORY, toolchainEnv } from './support/toolchain.js';

const work = tempFolder();
const home = join(work, 'home');
const ending = endings();
let packed: string[];

const npx = (...args: string[]) => {
  const env = plainEnv({ PATH: toolchainEnv().PATH ?? '' });
  return execa('npx', ['--no-install', ...args], { cwd: home, extendEnv: false, env, stripFinalNewline: false });
};

beforeAll(async () => {
  const tarballs = join(work, 'tarballs');
  mkdirSync(tarballs);
  mkdirSync(home);
  await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', tarballs], { cwd: REPOSITORY });
  const [tarball] = readdirSync(tarballs).map((name) => join(tarballs, name));
  packed = (await execa('tar', ['tzf', tarball ?? ''])).stdout
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));
  writeFileSync(join(home, 'package.json'), '{"private":true}');
  await execa('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball ?? ''], { cwd: home });
});

describe('the tarball', () => {
  test('contains the program, the templates and the example', () => {
    const wanted = [
      'bin/gymgen.cjs',
      'dist/cli/main.js',
      'dist/index.js',
      'dist/index.d.ts',
      'dist/api/write.d.ts',
      'schemas/lock.json',
      'schemas/batch-file.json',
      'schemas/json/write.json',
      'dist/THIRD-PARTY-LICENSES.txt',
      'requirements/uv.txt',
      'requirements/agentenv.txt',
      'requirements/gridsim.txt',
      'requirements/nemo-gym.txt',
      'requirements/build.txt',
      'README.md',
      'LICENSE',
    ];
    const templates = readdirSync(join(REPOSITORY, 'templates'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:hbs|py)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(REPOSITORY.length));
    const example = ['pyproject.toml', 'openenv.yaml', 'policy.yaml', 'server/app.py'].map(
      (path) => `fixtures/gridsim/${path}`,
    );
    expect(packed).toEqual(expect.arrayContaining([...wanted, ...templates, ...example]));
  });

  test('contains no tests, no caches and nothing that only the repository needs', () => {
    const unwanted =
      /^(?:test|bench|scripts(?!\/python313\.sh$)|src|\.ci|\.venvs)\/|^fixtures\/(?!gridsim\/)|^fixtures\/gridsim\/tests\//;
    const caches = /__pycache__|\.py[co]$|_cache\/|\.egg-info|\.venv|node_modules|\.map$|\.tgz$/;
    expect(packed.filter((path) => unwanted.test(path) || caches.test(path))).toEqual([]);
  });
});

describe('installed into an empty folder', () => {
  test('npx gymgen --version prints the version', async () => {
    const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'));
    expect((await npx('gymgen', '--version')).stdout).toBe(`${version}\n`);
  });

  test('npx gymgen --help prints the help', async () => {
    const { stdout } = await npx('gymgen', '--help');
    for (const text of ['Usage: gymgen', '<gym-root>', 'demo', 'Examples:']) expect(stdout).toContain(text);
  });

  test('npx gymgen URL ROOT writes the same as the checkout', async () => {
    const server = ending(await gridsim('--train', '20', '--eval', '5'));
    const { stdout } = await npx('gymgen', server.url, 'gym-root');
    expect(withoutTime(stdout)).toBe(`wrote ${folderOf('gym-root', 'gridsim_v1')}\n`);
    const bridge = snapshot(join(REPOSITORY, 'templates/server/openenv_bridge')).texts;
    const written = snapshot(join(folderOf(join(home, 'gym-root'), 'gridsim_v1'), 'openenv_bridge')).texts;
    expect(written).toEqual(
      Object.fromEntries(Object.entries(bridge).filter(([path]) => !path.includes('__pycache__'))),
    );
  });

  test('npx gymgen demo serves the example, and writes it', async () => {
    const { stdout, stderr } = await npx('gymgen', 'demo', 'demo-root');
    expect(withoutTime(stdout)).toBe(`wrote ${folderOf('demo-root', 'gridsim_v1')}\n`);
    for (const rows of ['2,200', '2,000', '200']) expect(stderr).toContain(`${rows} rows`);
    const again = await npx('gymgen', 'demo', 'demo-root');
    expect(again.stdout).toBe(`unchanged ${folderOf('demo-root', 'gridsim_v1')}\n`);
  });

  test('nothing was written into the package', () => {
    const inPackage = readdirSync(join(home, 'node_modules/gymgen'), { recursive: true }) as string[];
    const files = inPackage.filter((path) => /__pycache__|\.egg-info|\.venv|_cache/.test(path));
    expect(files).toEqual([]);
  });
});
