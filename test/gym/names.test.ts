import { expect, it } from 'vitest';
import { namesOf, slug } from '../../src/gym/index.js';

it.each([
  ['gridsim-v1', 'gridsim_v1'],
  ['My-Env.v2', 'my_env_v2'],
  ['é', 'e'],
  ['a b', 'a_b'],
  ['a/b', 'a_b'],
  ['1env', 'env_1env'],
  ['class', 'class'],
  ['__Ünïcode__ ', 'unicode'],
  ['ﬁne①', 'fine1'],
  ['環境', ''],
  ['', ''],
  ['"""\n{{x}}\\', 'x'],
])('the slug of %j is %j', (envName, name) => {
  expect(slug(envName)).toBe(name);
});

it('derives every name in a folder', () => {
  const { rows, ...names } = namesOf('gridsim_v1');
  expect(names).toEqual({
    server: 'gridsim_v1',
    agent: 'gridsim_v1_simple_agent',
    environment: 'gridsim_v1_environment_server',
    folder: 'resources_servers/gridsim_v1',
    config: 'configs/gridsim_v1.yaml',
    project: 'gridsim_v1-resources-server',
  });
  expect(rows('train')).toBe('data/train.jsonl');
});
