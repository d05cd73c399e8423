import { describe, expect, it } from 'vitest';
import { gymRoot } from '../../src/rules/index.js';

describe('gym roots', () => {
  it.each(['/srv/gym-root', '/srv/gym root', '/a/b.c/d_e@1+2%3'])('takes the path %s', (path) => {
    expect(gymRoot({ path })).toEqual([]);
  });

  it.each([',', '=', 'é', '中', ':', "'", '"', '[', '{', '$', '#', '~', '(', '!', '&', ';', '\n', '\\', '*'])(
    'refuses a path with %j',
    (char) => {
      const [finding] = gymRoot({ path: `/srv/a${char}b` });
      expect(finding?.code).toBe('root-path');
      expect(finding?.what).toMatch(/holds '/);
    },
  );

  it.each([
    ['[project]\nname = "nemo-gym"\n', []],
    ['[project]\nname = "NeMo_Gym"\n', []],
    ['[project]\nname = "nemo-rl"\n', ['root-project']],
    ['[tool.ruff]\n', ['root-project']],
    ['not toml', ['root-project']],
    ['project = 1\n', ['root-project']],
  ])('of the pyproject.toml %j says %j', (pyproject, codes) => {
    expect(gymRoot({ path: '/srv/root', pyproject }).map(({ code }) => code)).toEqual(codes);
  });
});
