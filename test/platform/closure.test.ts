// A wheel closure of stand-in wheels, which uv judges for real.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { buildWheel } from '../../src/platform/adapter/wheel.js';
import { findUv } from '../../src/source/index.js';
import { failureOf } from '../support/failure-of.js';
import { filesIn, gymRoot, packaged, serverOf, tempFolder } from './support.js';

const hasUv = (await findUv()) !== undefined;

/** Each with its version and what it requires. */
const STAND_INS: Readonly<Record<string, readonly [version: string, ...requires: string[]]>> = {
  nemo_gym: ['0.7.0', 'openai==2.44.0', 'ray>=2.58.0', 'hydra-core', 'omegaconf', 'pytest; extra == "dev"'],
  ray: ['2.60.0', 'aiohttp; extra == "default"'],
  openai: ['2.44.0'],
  pip: ['26.0'],
  setuptools: ['80.10.2'],
  setuptools_scm: ['9.0.0'],
  hydra_core: ['1.3.2', 'omegaconf'],
  omegaconf: ['2.3.0'],
  pytest: ['9.0.3'],
  aiohttp: ['3.14.0'],
  verifiers: ['0.3.1', 'datasets', 'openai>=2.9.0'],
  datasets: ['4.0.0'],
  orjson: ['3.11.0'],
  pydantic: ['2.14.0'],
  yarl: ['1.25.0'],
};
const ADAPTER_ONLY = ['verifiers', 'datasets', 'orjson', 'pydantic', 'yarl'];

function put(folder: string, project: string, version: string, requires: readonly string[] = [], tag = 'py3-none-any') {
  const extras = requires.flatMap((line) => /extra == "(\w+)"/.exec(line)?.[1] ?? []);
  const { file, content } = buildWheel({
    project,
    version,
    requires: [...requires, ...extras.map((extra) => `${project}; extra == "none"\nProvides-Extra: ${extra}`)],
    files: [{ path: `${project}.py`, content: Buffer.alloc(0) }],
  });
  const name = file.replace('py3-none-any', tag);
  writeFileSync(join(folder, name), content);
  return name;
}

function wheelhouse(isAdapter = false, without: readonly string[] = []): string {
  const folder = join(tempFolder(), 'house');
  mkdirSync(folder);
  for (const [project, [version, ...requires]] of Object.entries(STAND_INS)) {
    if (without.includes(project) || (!isAdapter && ADAPTER_ONLY.includes(project))) continue;
    put(folder, project, version, requires);
  }
  return folder;
}

const wheelsOf = (root: string) =>
  Object.keys(filesIn(join(root, '../out')))
    .filter((path) => path.endsWith('.whl'))
    .map((path) => path.replace('environment/wheels/', ''));

describe.skipIf(!hasUv)('wheels from a wheelhouse', () => {
  test.each(['linux/amd64', 'linux/arm64'] as const)('go in as they are (%s)', async (platform) => {
    const [root, house] = [gymRoot(), wheelhouse()];
    await packaged(root, { format: 'wheels-v1', wheelhouse: house, platform });
    expect(wheelsOf(root)).toEqual(Object.keys(filesIn(house)));
    const closure = readFileSync(join(root, '../out/closure.txt'), 'utf8');
    expect(closure).toMatch(/^nemo-gym==0\.7\.0 \\\n {4}--hash=sha256:/m);
    expect((await packaged(root, { format: 'wheels-v1', wheelhouse: house, platform })).changed).toBe(false);
  });

  test('an adapter has its own wheel, and not that of nemo-gym', async () => {
    const [root, house] = [gymRoot(), wheelhouse(true)];
    await packaged(root, { format: 'adapter-wheels-v1', wheelhouse: house });
    const own = 'gridsim_v1_openenv-0.0.0-py3-none-any.whl';
    const others = Object.keys(filesIn(house)).filter((name) => !name.startsWith('nemo_gym-'));
    expect(wheelsOf(root)).toEqual([...others, own].sort());
  });

  test('a bundle with rows becomes a wheel that the server requires', async () => {
    const [root, house] = [gymRoot(), wheelhouse()];
    const bundle = join(root, '../shop');
    mkdirSync(bundle);
    writeFileSync(join(bundle, 'tasks.jsonl'), '{}\n');
    const config = join(serverOf(root), 'configs/gridsim_v1.yaml');
    writeFileSync(config, readFileSync(config, 'utf8').replace(/ url: .*/, ` bundle: ${JSON.stringify(bundle)}`));
    await packaged(root, { format: 'wheels-v1', wheelhouse: house });
    const out = filesIn(join(root, '../out/environment'));
    const server = 'resources_servers/gridsim_v1';
    expect(out[`${server}/requirements.txt`]).toContain('gridsim-v1-bundle==0.0.0\n');
    expect(out[`${server}/configs/gridsim_v1.yaml`]).toContain('bundle: "gridsim-v1-bundle/shop"');
    expect(out['wheels/gridsim_v1_bundle-0.0.0-py3-none-any.whl']).toContain('shop = gridsim_v1_bundle');
    expect(Object.keys(out).filter((path) => path.endsWith('.jsonl'))).toEqual([]);
  });

  test.each<[what: string, edit: (house: string) => void, told: RegExp]>([
    [
      'two versions of a project',
      (house) => put(house, 'aiohttp', '3.13.0'),
      /aiohttp-3\.14\.0-py3-none-any\.whl: the project has another wheel, aiohttp-3\.13\.0/,
    ],
    [
      'a foreign platform',
      (house) => put(house, 'uvloop', '0.23.0', [], 'cp313-cp313-macosx_11_0_arm64'),
      /uvloop-.*macosx.*: not for CPython 3\.13 on linux\/amd64/,
    ],
    [
      'a foreign Python',
      (house) => put(house, 'uvloop', '0.23.0', [], 'cp314-abi3-any'),
      /uvloop-.*: not for CPython 3\.13/,
    ],
    [
      'a wheel that nothing requires',
      (house) => put(house, 'numpy', '2.1.0'),
      /numpy-2\.1\.0-py3-none-any\.whl: nothing requires/,
    ],
    ['another file', (house) => writeFileSync(join(house, '.gitignore'), '*'), /\.gitignore: not a wheel/],
    [
      'a missing wheel',
      (house) => rmSync(join(house, 'omegaconf-2.3.0-py3-none-any.whl')),
      /could not resolve[\s\S]*omegaconf[\s\S]*add the missing wheel/,
    ],
  ])('%s is refused', async (_, edit, told) => {
    const [root, house] = [gymRoot(), wheelhouse()];
    edit(house);
    expect(await failureOf(packaged(root, { format: 'wheels-v1', wheelhouse: house }))).toMatch(told);
    expect(() => wheelsOf(root)).toThrow('ENOENT');
  });

  test('an openai that nemo-gym excludes is refused, in the words of uv', async () => {
    const [root, house] = [gymRoot(), wheelhouse()];
    const told = await failureOf(packaged(root, { format: 'wheels-v1', wheelhouse: house, pin: ['openai==2.45.0'] }));
    expect(told).toMatch(/nemo-gym[\s\S]*openai/);
    expect(told).toContain('--pin');
  });

  test.each<[what: string, toml: string, told: RegExp]>([
    ['an override that the wheels do not satisfy', 'override-dependencies = ["aiohttp>=4"]', /aiohttp/],
    ['no policy', '', /has no \[tool.uv\] override-dependencies/],
  ])('%s in --uv-policy is refused', async (_, toml, told) => {
    const [root, house] = [gymRoot(), wheelhouse()];
    const uvPolicy = join(root, '../policy.toml');
    writeFileSync(uvPolicy, `[tool.uv]\n${toml}\n`);
    expect(await failureOf(packaged(root, { format: 'wheels-v1', wheelhouse: house, uvPolicy }))).toMatch(told);
  });

  test('a policy that the wheels satisfy is accepted', async () => {
    const [root, house] = [gymRoot(), wheelhouse()];
    const uvPolicy = join(root, '../policy.toml');
    const policy = 'override-dependencies = ["setuptools>=80.10.2"]\nconstraint-dependencies = ["pytest>=9.0.3"]';
    writeFileSync(uvPolicy, `[tool.uv]\n${policy}\n`);
    expect((await packaged(root, { format: 'wheels-v1', wheelhouse: house, uvPolicy })).changed).toBe(true);
  });

  test("the settings of NeMo RL's own pyproject.toml are read, with URLs, extras and markers", async () => {
    const uvPolicy = fileURLToPath(new URL('../../fixtures/platform/nemo-rl.toml', import.meta.url));
    const [root, house] = [gymRoot(), wheelhouse()];
    expect((await packaged(root, { format: 'wheels-v1', wheelhouse: house, uvPolicy })).changed).toBe(true);
    const other = wheelhouse(false, ['pytest']);
    put(other, 'pytest', '9.0.2');
    const told = await failureOf(packaged(root, { format: 'wheels-v1', wheelhouse: other, uvPolicy }));
    expect(told).toMatch(/pytest>=9\.0\.3/);
  });
});

test.each([['ray=2.60.0'], ['ray==2.60.0,ray==2.61.0'], ['-e .']])('the pin %s is refused', async (pin) => {
  expect(await failureOf(packaged(gymRoot(), { format: 'wheels-v1', pin: [pin] }))).toMatch(/not a pin|pinned twice/);
});
