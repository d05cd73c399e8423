import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { projectInputs, projectPython } from '../../src/source/project-python.js';
import { Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';
import { FAKE_UV, fakeMachine } from '../support/fake-machine.js';

const machine = fakeMachine();
const signal = new AbortController().signal;

function put(path: string, text: string): void {
  mkdirSync(dirname(join(machine.home, path)), { recursive: true });
  writeFileSync(join(machine.home, path), text);
}

describe('the environment of a project', () => {
  const project = () => join(machine.home, 'project');
  beforeEach(() => put('project/pyproject.toml', '[project]\nname = "example"\n'));
  const envs = () => readdirSync(join(machine.home, 'cache/gymgen/envs/projects'));

  test('is created once, outside its folder', async () => {
    machine.program('uv', FAKE_UV);
    const said = new Said();
    const python = await projectPython(project(), said, signal);
    expect(python).toMatch(/cache\/gymgen\/envs\/projects\/project-[0-9a-f]{16}\/[0-9a-f]{16}\/bin\/python$/);
    expect(existsSync(python)).toBe(true);
    expect(said.progressed).toEqual([
      { phase: 'install', what: 'the dependencies of project' },
      { phase: 'step', what: 'preparing the dependencies of project' },
    ]);
    expect(said.notes).toEqual([expect.stringMatching(/^installed the dependencies of project in \d+\.\d s$/)]);
    const calls = machine.calls();
    expect(await projectPython(project(), said, signal)).toBe(python);
    expect([machine.calls(), said.notes.length]).toEqual([calls, 1]);
    expect(readdirSync(project())).toEqual(['pyproject.toml']);
    expect(envs()).toHaveLength(1);
  });

  test('is a new one if the dependencies change', async () => {
    machine.program('uv', FAKE_UV);
    const first = await projectPython(project(), new Said(), signal);
    writeFileSync(join(project(), 'pyproject.toml'), '[project]\nname = "other"\n');
    expect(await projectPython(project(), new Said(), signal)).not.toBe(first);
  });

  test('is complete if two runs create it at once', async () => {
    machine.program('uv', `${FAKE_UV}sleep 0.1\n`);
    const both = await Promise.all([
      projectPython(project(), new Said(), signal),
      projectPython(project(), new Said(), signal),
    ]);
    expect(both[0]).toBe(both[1]);
    expect(envs()).toHaveLength(1);
  });

  test('that cannot be created is reported with the message of uv, and leaves nothing', async () => {
    machine.program('uv', `${FAKE_UV}if [ "$1" = pip ]; then echo "no solution found" >&2; exit 1; fi\n`);
    const failure = await failureOf(projectPython(project(), new Said(), signal));
    expect(failure).toBe(
      'uv could not install the dependencies of project\nno solution found\nfix: solve the problem that uv reports, and run gymgen again',
    );
    expect(envs()).toEqual([]);
  });

  test('behind a proxy with its own certificates says how to trust them', async () => {
    machine.program(
      'uv',
      `${FAKE_UV}if [ "$1" = pip ]; then echo "invalid peer certificate: UnknownIssuer" >&2; exit 1; fi\n`,
    );
    expect(await failureOf(projectPython(project(), new Said(), signal))).toContain('export UV_SYSTEM_CERTS=1');
  });

  test('that fails with a long message is reported with its first and last lines', async () => {
    machine.program(
      'uv',
      `${FAKE_UV}if [ "$1" = pip ]; then for n in 1 2 3 4 5 6 7 8; do echo "line $n" >&2; done; exit 1; fi\n`,
    );
    const failure = await failureOf(projectPython(project(), new Said(), signal));
    expect(failure.split('\n').slice(1, -1)).toEqual(['line 1', 'line 5', 'line 6', 'line 7', 'line 8']);
  });

  test('that is interrupted leaves nothing in the cache', async () => {
    machine.program('uv', `${FAKE_UV}if [ "$1" = pip ]; then exec sleep 20; fi\n`);
    const stop = new AbortController();
    const reason = new Error('stopped');
    const making = projectPython(project(), { progress: () => setTimeout(() => stop.abort(reason), 200) }, stop.signal);
    await expect(making).rejects.toBe(reason);
    expect(envs()).toEqual([]);
  });
});

test.each(['exec sleep 20', 'trap "" TERM; sleep 20 & wait; sleep 20'])(
  'an interrupted install leaves no process: %s',
  async (work) => {
    machine.program('uv', `echo $$ > "${machine.home}/leader"\nsleep 20 &\n${work}\n`);
    put('project/pyproject.toml', '[project]\nname = "example"\n');
    const stop = new AbortController();
    const reason = new Error('stopped');
    const making = projectPython(
      join(machine.home, 'project'),
      { progress: () => setTimeout(() => stop.abort(reason), 500) },
      stop.signal,
    );
    await expect(making).rejects.toBe(reason);
    const leader = readFileSync(join(machine.home, 'leader'), 'utf8').trim();
    await vi.waitFor(() => expect(membersOf(leader)).toEqual([]));
  },
);

/** The processes of a group that are still running. */
function membersOf(leader: string): string[] {
  const all = execFileSync('ps', ['-eo', 'pgid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => {
    const [group, state = ''] = line.trim().split(/\s+/);
    return group === leader && !state.startsWith('Z');
  });
}

describe('the input of uv', () => {
  beforeEach(() => {
    vi.stubEnv('XDG_CONFIG_HOME', join(machine.home, 'config'));
    put('above/project/pyproject.toml', '[project]\nname = "x"\ndependencies = ["openenv==0.10.0"]\n');
    put('above/project/requirements.txt', 'openenv==0.10.0\n-r more/a.txt\n');
    put('above/project/more/a.txt', 'httpx\n-c b.txt\n');
    put('above/project/more/b.txt', 'anyio<5\n-r a.txt\n');
  });

  const inputs = (file = 'pyproject.toml', folder = 'above/project') =>
    projectInputs(join(machine.home, folder), join(machine.home, folder, file));

  test.each<[string, () => void, string?]>([
    ['the settings of uv', () => put('above/project/uv.toml', 'no-index = true')],
    ['the settings of uv in a folder above', () => put('above/uv.toml', 'no-index = true')],
    ['the settings of uv for this user', () => put('config/uv/uv.toml', 'no-index = true')],
    [
      'a workspace in a folder above',
      () => put('above/pyproject.toml', '[tool.uv]\noverride-dependencies = ["anyio<4"]'),
    ],
    ["uv's lock", () => put('above/project/uv.lock', 'version = 1')],
    ['the requested Python', () => put('above/project/.python-version', '3.12')],
    ['an index of the environment', () => vi.stubEnv('UV_DEFAULT_INDEX', 'http://other/simple')],
    ['the requirements', () => put('above/project/requirements.txt', 'openenv==0.9.0\n'), 'requirements.txt'],
    ['included requirements', () => put('above/project/more/a.txt', 'httpx<1'), 'requirements.txt'],
    ['included constraints', () => put('above/project/more/b.txt', 'anyio<4'), 'requirements.txt'],
    [
      'constraints of the environment',
      () => {
        put('above/c.txt', 'anyio<4');
        vi.stubEnv('UV_CONSTRAINT', join(machine.home, 'above/c.txt'));
      },
    ],
  ])('a new environment is needed if %s changes', async (_, change, file) => {
    const before = await inputs(file);
    expect((await inputs(file)).identity).toBe(before.identity);
    change();
    expect((await inputs(file)).identity).not.toBe(before.identity);
  });

  test('two checkouts of one project have separate environments', async () => {
    put('other/project/pyproject.toml', '[project]\nname = "x"\ndependencies = ["openenv==0.10.0"]\n');
    expect((await inputs()).identity).not.toBe((await inputs('pyproject.toml', 'other/project')).identity);
  });

  test.each([
    ['openenv==0.10.0', true],
    ['openenv[core] >= 0.10 ; python_version < "4" --hash=sha256:0', true],
    ['openenv @ https://example.com/openenv-1-py3-none-any.whl', true],
    ['openenv @ git+https://example.com/openenv@main', true],
    ['git+https://example.com/openenv', true],
    ['--index-url https://example.com/simple', true],
    ['# ./comment', true],
    ['./vendored', false],
    ['vendored/pkg', false],
    ['/opt/vendored', false],
    ['..', false],
    ['pkg-1.0-py3-none-any.whl', false],
    ['file:///opt/vendored', false],
    ['pkg @ ./vendored', false],
    ['pkg @ file:///opt/vendored', false],
    ['-e .', false],
    ['--editable=./x', false],
    ['--find-links wheels', false],
    ['-r missing.txt', false],
    ['-r \\\n  local.txt', false],
  ])('requirements with %j have no local code: %s', async (line, complete) => {
    put('above/project/local.txt', './vendored');
    put('above/project/requirements.txt', `${line}\n`);
    expect((await inputs('requirements.txt')).complete).toBe(complete);
  });

  test.each([
    ['[project]\ndependencies = ["a @ ./a"]', false],
    ['[project]\ndynamic = ["dependencies"]', false],
    ['[project]\ndynamic = ["version"]', true],
    ['[tool.uv.sources]\na = { path = "../a" }', false],
    ['[tool.uv.sources]\na = [{ workspace = true }]', false],
    ['[tool.uv.sources]\na = { git = "https://example.com/a" }', true],
    ['[tool.uv]\nfind-links = ["wheels"]', false],
    ['[[tool.uv.index]]\nurl = "./wheels"', false],
    ['[[tool.uv.index]]\nurl = "https://example.com/simple"', true],
    ['[tool.setuptools]\npackage-dir = { a = "./x" }', true],
  ])('a pyproject.toml with %j has no local code: %s', async (toml, complete) => {
    put('above/project/pyproject.toml', toml);
    expect((await inputs()).complete).toBe(complete);
  });

  test('a uv.toml that finds packages in a folder has local code', async () => {
    put('above/project/uv.toml', 'find-links = ["./wheels"]');
    expect((await inputs()).complete).toBe(false);
  });
});
