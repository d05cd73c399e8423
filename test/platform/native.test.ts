import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { filesIn, gymRoot, packaged, serverOf, tempFolder } from './support.js';

const SERVER = 'environment/resources_servers/gridsim_v1';

test('a package has what the server runs, and nothing else', async () => {
  const root = gymRoot();
  await packaged(root, { train: 'train', validation: 'eval' });
  const out = filesIn(join(root, '../out'));
  const names = Object.keys(out).filter((path) => !path.includes('/openenv_bridge/'));
  expect(names).toEqual([
    'dataset/training.jsonl',
    'dataset/validation.jsonl',
    'environment/nemo-environment.yaml',
    `${SERVER}/app.py`,
    `${SERVER}/configs/gridsim_v1.yaml`,
    `${SERVER}/requirements.txt`,
    `${SERVER}/task_data.py`,
    `${SERVER}/toolsets.json`,
    'environment/responses_api_models/vllm_model/configs/policy_model.yaml',
    'gymgen.package.json',
    'job.json',
  ]);
  expect(parse(out['environment/nemo-environment.yaml'] ?? '')).toEqual({
    format: 'native-v1',
    config_paths: [
      'responses_api_models/vllm_model/configs/policy_model.yaml',
      'resources_servers/gridsim_v1/configs/gridsim_v1.yaml',
    ],
    metadata: { name: 'gridsim-v1' },
  });
  const written = filesIn(serverOf(root));
  for (const path of ['app.py', 'openenv_bridge/server.py']) expect(out[`${SERVER}/${path}`]).toBe(written[path]);
  expect(out['dataset/training.jsonl']).toBe(written['data/train.jsonl']);
  expect(out['dataset/validation.jsonl']).toBe(written['data/eval.jsonl']);
});

test('the same input gives the same bytes, and a second run writes nothing', async () => {
  const root = gymRoot();
  const first = await packaged(root);
  expect(first.changed).toBe(true);
  expect((await packaged(root)).changed).toBe(false);
  await packaged(root, { folder: join(root, '../again') });
  const [out, again] = [filesIn(join(root, '../out')), filesIn(join(root, '../again'))];
  expect(again).toEqual(out);
});

test('names of file sets end with a digest of the content', async () => {
  const root = gymRoot();
  const before = await packaged(root);
  expect(before.environment.name).toMatch(/^gridsim-v1-[0-9a-f]{8}$/);
  expect(before.dataset.name).toMatch(/^gridsim-v1-rows-[0-9a-f]{8}$/);
  appendFileSync(join(serverOf(root), 'app.py'), '# edited\n');
  const after = await packaged(root);
  expect(after.environment.name).not.toBe(before.environment.name);
  expect(after.dataset.name).toBe(before.dataset.name);
  expect(after.notes).toContain('gridsim_v1/app.py was edited by hand, and goes in as it is');
});

test('with --fileset, commands delete the files that a new package no longer has', async () => {
  const root = gymRoot();
  writeFileSync(join(serverOf(root), 'extra.py'), '');
  await packaged(root, { fileset: 'mine', carry: ['extra.py'] });
  const { commands, environment, dataset } = await packaged(root, { fileset: 'mine' });
  expect([environment.name, dataset.name]).toEqual(['mine', 'mine-rows']);
  expect(commands).toContain(
    'nemo files delete mine --workspace default --remote-path resources_servers/gridsim_v1/extra.py',
  );
});

test('commands create, upload, list and submit, with a slash at the end of each folder', async () => {
  const root = gymRoot();
  const { commands, environment, dataset } = await packaged(root, { workspace: 'team', folder: join(root, '../out') });
  const out = join(root, '../out');
  expect(commands).toEqual([
    `nemo files filesets create ${environment.name} --workspace team --purpose environment --exist-ok`,
    `nemo files upload ${out}/environment/ ${environment.name} --workspace team`,
    `nemo files list ${environment.name} --workspace team`,
    `nemo files filesets create ${dataset.name} --workspace team --purpose dataset --exist-ok`,
    `nemo files upload ${out}/dataset/ ${dataset.name} --workspace team`,
    `nemo files list ${dataset.name} --workspace team`,
    `nemo customization rl --job-json ${out}/job.json --workspace team`,
  ]);
  expect(JSON.parse(readFileSync(join(out, 'job.json'), 'utf8'))).toMatchObject({
    environment: `team/${environment.name}`,
    dataset: `team/${dataset.name}`,
    training: { type: 'grpo' },
  });
});

describe('files that gymgen did not write', () => {
  test('stay out, are named, and can be carried', async () => {
    const root = gymRoot();
    const server = serverOf(root);
    mkdirSync(join(server, '__pycache__'));
    writeFileSync(join(server, '__pycache__/app.pyc'), '');
    writeFileSync(join(server, 'plugin.py'), 'x = 1\n');
    symlinkSync('/etc/hostname', join(server, 'openenv_bridge/link.py'));
    const { leftOut } = await packaged(root);
    expect(leftOut).toContainEqual({
      path: 'gridsim_v1/plugin.py',
      why: 'was not written by gymgen; to include it: --carry plugin.py',
    });
    expect(leftOut).toContainEqual({ path: 'gridsim_v1/openenv_bridge/link.py', why: 'is a link' });
    await packaged(root, { carry: ['plugin.py'] });
    const out = filesIn(join(root, '../out'));
    expect(out[`${SERVER}/plugin.py`]).toBe('x = 1\n');
    expect(Object.keys(out).filter((path) => /pyc|link/.test(path))).toEqual([]);
  });
});

test('several servers make one package and one dataset', async () => {
  const root = gymRoot();
  const config = join(serverOf(root, 'everything'), 'configs/everything.yaml');
  writeFileSync(config, readFileSync(config, 'utf8').replace(/ {6}headers:\n.*\n/, ''));
  const report = await packaged(root, { names: ['gridsim_v1', 'everything'], train: 'train' });
  const out = filesIn(join(root, '../out'));
  expect(report.environment.name).toMatch(/^gridsim-v1-and-1-[0-9a-f]{8}$/);
  expect(parse(out['environment/nemo-environment.yaml'] ?? '').config_paths).toEqual([
    'responses_api_models/vllm_model/configs/policy_model.yaml',
    'resources_servers/gridsim_v1/configs/gridsim_v1.yaml',
    'resources_servers/everything/configs/everything.yaml',
  ]);
  const rows = ['gridsim_v1', 'everything'].map((name) => filesIn(serverOf(root, name))['data/train.jsonl']);
  expect(out['dataset/training.jsonl']).toBe(rows.join(''));
  expect(out['environment/resources_servers/everything/configs/everything.yaml']).not.toContain('datasets');
});

test('for evaluations, the model is not in the package, and headers become secrets', async () => {
  const root = gymRoot();
  await packaged(root, { names: ['everything'], target: 'evals', train: 'eval' });
  const out = filesIn(join(root, '../out'));
  expect(Object.keys(out).filter((path) => path.includes('policy_model'))).toEqual([]);
  expect(JSON.parse(out['job.json'] ?? '')).toMatchObject({
    target: {
      source: { component: 'simple_agent', instance: 'everything_simple_agent' },
      resources_server: 'everything',
      env_secrets: { TOKEN: 'default/token' },
    },
  });
});

test('a bundle lies beside the server, with AgentEnv settings of a folder above it', async () => {
  const root = gymRoot();
  const repository = tempFolder();
  const bundle = join(repository, 'bundles/shop');
  for (const folder of ['.git', '.agentenv', 'bundles/shop/tasks'])
    mkdirSync(join(repository, folder), { recursive: true });
  writeFileSync(join(repository, '.agentenv/config.toml'), '[envs]\n');
  writeFileSync(join(bundle, 'tasks/one.json'), '{}');
  const config = join(serverOf(root), 'configs/gridsim_v1.yaml');
  writeFileSync(config, readFileSync(config, 'utf8').replace(/ url: .*/, ` bundle: ${JSON.stringify(bundle)}`));
  const { warnings } = await packaged(root);
  const out = filesIn(join(root, '../out'));
  expect(out[`${SERVER}/configs/gridsim_v1.yaml`]).toContain('      bundle: "../bundle"\n');
  expect(out[`${SERVER}/bundle/tasks/one.json`]).toBe('{}');
  expect(out[`${SERVER}/.agentenv/config.toml`]).toBe('[envs]\n');
  expect(warnings.join('\n')).toContain('MCP servers on loopback and Docker are not there');
});
