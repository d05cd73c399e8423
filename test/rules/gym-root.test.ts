import { describe, expect, it } from 'vitest';
import { gymRoot } from '../../src/rules/index.js';

describe('Gym roots', () => {
  it.each(['/srv/gym-root', '/srv/gym root', '/a/b.c/d_e@1+2%3'])('accepts the path %s', (path) => {
    expect(gymRoot({ path })).toEqual([]);
  });

  it.each([',', '=', 'é', '中', ':', "'", '"', '[', '{', '$', '#', '~', '(', '!', '&', ';', '\n', '\\', '*'])(
    'refuses a path with %j',
    (char) => {
      const [finding] = gymRoot({ path: `/srv/a${char}b` });
      expect(finding?.code).toBe('root-path');
      expect(finding?.problem).toMatch(/contains '/);
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
  ])('findings for the pyproject.toml %j: %j', (pyproject, codes) => {
    expect(gymRoot({ path: '/srv/root', pyproject }).map(({ code }) => code)).toEqual(codes);
  });

  it('names the line of an invalid pyproject.toml', () => {
    const [finding] = gymRoot({ path: '/srv/root', pyproject: '[project]\nname = \n' });
    expect(finding?.problem).toMatch(/^its pyproject\.toml is not valid TOML: .+ \(line 2\)$/);
  });

  it('suggests the folder above resources_servers/', () => {
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
  ])('accepts version %i.%i', (major, minor) => expect(codes(info(major, minor))).toEqual([]));

  it.each([
    [0, 5],
    [0, 6],
  ])('refuses version %i.%i and names the version that is needed', (major, minor) => {
    const [finding] = codes(info(major, minor));
    expect(finding?.code).toBe('root-version');
    expect(finding?.problem).toBe(`is a checkout of NeMo Gym ${major}.${minor}.1; 0.7 or newer is needed`);
  });

  it('needs environment_servers/', () => {
    expect(codes(undefined, false)[0]?.problem).toContain('without environment_servers/');
    expect(codes(info(0, 5), false)[0]?.problem).toContain('NeMo Gym 0.5.1, without environment_servers/');
    expect(codes(undefined, true)).toEqual([]);
    expect(codes('VERSION = 1', true)).toEqual([]);
  });
});
