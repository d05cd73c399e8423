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
    ['not toml', ['root-toml']],
    ['[project]\nname = "nemo-gym\n', ['root-toml']],
    ['project = 1\n', ['root-project']],
  ])('of the pyproject.toml %j says %j', (pyproject, codes) => {
    expect(gymRoot({ path: '/srv/root', pyproject }).map(({ code }) => code)).toEqual(codes);
  });

  it('names the line of a pyproject.toml that is not TOML', () => {
    const [finding] = gymRoot({ path: '/srv/root', pyproject: '[project]\nname = \n' });
    expect(finding?.what).toMatch(/^its pyproject\.toml is not valid TOML: .+ \(line 2\)$/);
  });

  it('names the root of a resources_servers folder', () => {
    const [finding] = gymRoot({ path: '/srv/gym-root/resources_servers' });
    expect(finding).toMatchObject({ code: 'root-nested', fix: "write to '/srv/gym-root'" });
  });
});

describe('checkouts of NeMo Gym', () => {
  const info = (major: number, minor: number) =>
    `# (major, minor)\nMAJOR = ${major}\nMINOR = ${minor}\nPATCH = 1\nPRE_RELEASE = ""\n`;
  const codes = (packageInfo: string | undefined, environmentServers = true, name = 'nemo-gym') =>
    gymRoot({ path: '/gym', pyproject: `[project]\nname = "${name}"\n`, packageInfo, environmentServers });

  it.each([
    [0, 7],
    [0, 12],
    [1, 0],
  ])('of version %i.%i are new enough', (major, minor) => expect(codes(info(major, minor))).toEqual([]));

  it.each([
    [0, 5],
    [0, 6],
  ])('of version %i.%i are too old, which names both versions', (major, minor) => {
    const [finding] = codes(info(major, minor));
    expect(finding?.code).toBe('root-version');
    expect(finding?.what).toBe(`is a checkout of NeMo Gym ${major}.${minor}.1; 0.7 or newer is needed`);
  });

  it('need environment_servers/', () => {
    expect(codes(undefined, false)[0]?.what).toContain('without environment_servers/');
    expect(codes(info(0, 5), false)[0]?.what).toContain('NeMo Gym 0.5.1, without environment_servers/');
    expect(codes(undefined, true)).toEqual([]);
    expect(codes('VERSION = 1', true)).toEqual([]);
  });
});
