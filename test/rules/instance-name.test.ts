import { describe, expect, it } from 'vitest';
import { instanceName } from '../../src/rules/index.js';

describe('instance names', () => {
  it.each(['gridsim_v1', 'a', 'env_1env', 'class_env', `a${'b'.repeat(63)}`])('accepts %s', (name) => {
    expect(instanceName(name)).toEqual([]);
  });

  it.each([
    ['', 'name-pattern', 'my_env'],
    ['1env', 'name-pattern', 'env_1env'],
    ['My-Env.v2', 'name-pattern', 'my_env_v2_env'],
    ['a b', 'name-pattern', 'a_b_env'],
    ['é', 'name-pattern', 'my_env'],
    ['a/b', 'name-pattern', 'a_b_env'],
    ['a\n', 'name-pattern', 'a_env'],
    ['_a', 'name-pattern', 'a_env'],
    [`a${'b'.repeat(64)}`, 'name-length', `a${'b'.repeat(59)}_env`],
    ['class', 'name-keyword', 'class_env'],
    ['on', 'name-keyword', 'on_env'],
    ['con', 'name-windows', 'con_env'],
    ['nul', 'name-windows', 'nul_env'],
    ['com1', 'name-windows', 'com1_env'],
    ['null', 'name-keyword', 'null_env'],
    ['head_server', 'name-reserved', 'head_server_env'],
    ['limit', 'name-reserved', 'limit_env'],
    ['policy_model', 'name-reserved', 'policy_model_env'],
    ['help', 'name-reserved', 'help_env'],
    ['reasoning_gym', 'name-built-in', 'reasoning_gym_env'],
    ['openenv', 'name-built-in', 'openenv_env'],
  ])('refuses %j (%s) and suggests %s', (name, code, suggestion) => {
    const [finding, ...more] = instanceName(name);
    expect(more).toEqual([]);
    expect(finding?.code).toBe(code);
    expect(finding?.fix).toContain(`--name ${suggestion}`);
    expect(instanceName(suggestion)).toEqual([]);
  });

  it("asks for a name if the environment's has no usable characters, as in 环境 or !!!", () => {
    expect([...instanceName('')]).toMatchObject([
      {
        code: 'name-pattern',
        problem: expect.stringContaining('no letters or digits'),
        fix: 'choose a name: --name my_env',
      },
    ]);
  });
});
