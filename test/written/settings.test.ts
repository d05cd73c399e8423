import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UserError } from '../../src/errors.js';
import { config } from '../../src/gym/config.js';
import { readSettings as read } from '../../src/written/config.js';
import { currentConfig, readGymRoot } from '../../src/written/index.js';
import { options } from '../gym/discovery.js';

const readSettings = (...args: Parameters<typeof read>) => read(...args).settings;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gymgen-root-'));
});
afterEach(async () => {
  await rm(root, { recursive: true });
});

it('reads the settings that gymgen wrote', async () => {
  const settings = {
    connect_timeout: 1,
    tool_timeout: 1.5,
    reset_timeout: 2,
    idle_timeout: 3,
    max_concurrent_envs: 4,
    reward: 'on',
    max_steps: 5,
  };
  expect(readSettings(config({ envName: 'x' }, options({ settings })), 'gridsim_v1', 'x.yaml')).toEqual(settings);
  expect(readSettings(config({ envName: 'x' }, options()), 'gridsim_v1', 'x.yaml')).toEqual({});
  const text = config({ envName: 'x', rewardRule: 'sum' }, options());
  expect(readSettings(text, 'gridsim_v1', 'x.yaml')).toEqual({ reward_rule: 'sum' });
});

it('reads settings that the user added, anywhere in their block', async () => {
  const text = config({ envName: 'x' }, options())
    .replace('      domain: agent', '      tool_timeout: 90   # slow\n      domain: agent')
    .replace('    simple_agent:\n', '    simple_agent:\n      max_steps: 12\n');
  expect(readSettings(text, 'gridsim_v1', 'x.yaml')).toEqual({ tool_timeout: 90, max_steps: 12 });
});

it.each([
  ['tool_timeout: soon', 'tool_timeout'],
  ['reset_timeout: -1', 'reset_timeout'],
  ['idle_timeout: "6o"', 'idle_timeout'],
  ['max_concurrent_envs: 1.5', 'max_concurrent_envs'],
  ['reward: 3', 'reward'],
  ['reward_rule: total', 'reward_rule'],
])('refuses %s, and names the file', async (line, key) => {
  const text = config({ envName: 'x' }, options()).replace('      domain', `      ${line}\n      domain`);
  try {
    readSettings(text, 'gridsim_v1', 'a/x.yaml');
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).details.join()).toContain(`a/x.yaml: ${key}`);
  }
});

it.each(['', '[]', 'a: [', 'gridsim_v1: 3', 'gridsim_v1:\n  resources_servers: [1]', '\0'])(
  'finds no settings in %j',
  (text) => {
    expect(readSettings(text, 'gridsim_v1', 'x.yaml')).toEqual({});
  },
);

it('reads what the rules check of a Gym root', async () => {
  expect(await readGymRoot(join(root, 'none'))).toEqual({ path: join(root, 'none'), environmentServers: false });
  await writeFile(join(root, 'pyproject.toml'), '[project]\n');
  await mkdir(join(root, 'nemo_gym'));
  await writeFile(join(root, 'nemo_gym/package_info.py'), 'MAJOR = 0\n');
  await mkdir(join(root, 'environment_servers'));
  expect(await readGymRoot(root)).toMatchObject({
    pyproject: '[project]\n',
    packageInfo: 'MAJOR = 0\n',
    environmentServers: true,
  });
  await writeFile(join(root, 'pyproject.toml'), '\ufeff[project]\n');
  expect((await readGymRoot(root)).pyproject).toBe('[project]\n');
  expect((await currentConfig(root, 'gridsim_v1')).settings).toEqual({});
  await mkdir(join(root, 'resources_servers/gridsim_v1/configs'), { recursive: true });
  const text = config({ envName: 'x' }, options({ settings: { tool_timeout: 5 } }));
  await writeFile(join(root, 'resources_servers/gridsim_v1/configs/gridsim_v1.yaml'), text);
  expect((await currentConfig(root, 'gridsim_v1')).settings).toEqual({ tool_timeout: 5 });
});

it.each<[string, string, RegExp]>([
  ['keys', Array.from({ length: 20_000 }, (_, at) => `k${at}: 1\n`).join(''), /configKeys/],
  ['keys of flow maps', `{${'a,'.repeat(60_000)}}`, /configKeys/],
  ['anchors', '&a '.repeat(60_000), /configKeys/],
  ['levels of flow lists', '['.repeat(200_000), /configDepth/],
  ['levels of lists in a line', '- '.repeat(4000), /configDepth/],
  ['levels of maps', Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''), /configDepth/],
  ['comments', '#\n'.repeat(100_000), /configKeys/],
  ['bytes', '#'.repeat(300_000), /configBytes/],
])('refuses a config with too many %s', (_, text, message) => {
  expect(() => readSettings(text, 'gridsim_v1', 'x.yaml')).toThrow(message);
});

it('does not read a config that is too large or not a regular file', async () => {
  const folder = join(root, 'resources_servers/gridsim_v1/configs');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'gridsim_v1.yaml'), '#'.repeat(2 ** 20 + 1));
  await expect(currentConfig(root, 'gridsim_v1')).rejects.toThrow('file too large: the limit is 256 KiB (configBytes)');
  await rm(join(folder, 'gridsim_v1.yaml'));
  await symlink('/dev/zero', join(folder, 'gridsim_v1.yaml'));
  expect((await currentConfig(root, 'gridsim_v1')).settings).toEqual({});
});
