import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ownPython, pythonEnv } from '../../src/source/python-env.js';
import { findUv, uvPath } from '../../src/source/uv.js';
import { failureOf } from '../support/failure-of.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gymgen-source-'));
  mkdirSync(join(home, 'bin'));
  mkdirSync(join(home, 'project'));
  writeFileSync(join(home, 'project/pyproject.toml'), '[project]\nname = "example"\n');
  vi.stubEnv('XDG_CACHE_HOME', join(home, 'cache'));
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
  vi.stubEnv('PATH', [join(home, 'bin'), '/usr/bin', '/bin'].join(delimiter));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

/** A program on PATH, which notes where and how it is called. */
function program(name: string, script: string): void {
  const file = join(home, 'bin', name);
  writeFileSync(file, `#!/bin/sh\necho "$PWD ${name} $*" >> "${home}/calls"\n${script}`);
  chmodSync(file, 0o755);
}

const calls = () => (existsSync(`${home}/calls`) ? readFileSync(`${home}/calls`, 'utf8').trim().split('\n') : []);
const signal = new AbortController().signal;

/** As uv does it: `uv venv … FOLDER` makes the Python, which the last argument says where. */
const UV = 'for last; do :; done\nif [ "$1" = venv ]; then mkdir -p "$last/bin"; : > "$last/bin/python"; fi\n';

describe('the environment of a project', () => {
  const project = () => join(home, 'project');
  const envs = () => readdirSync(join(home, 'cache/gymgen/envs/projects'));

  test('is made once, outside of its folder', async () => {
    program('uv', UV);
    const said: string[] = [];
    const python = await pythonEnv(project(), (text) => said.push(text), signal);
    expect(python).toMatch(/cache\/gymgen\/envs\/projects\/project-[0-9a-f]{16}\/[0-9a-f]{16}\/bin\/python$/);
    expect(existsSync(python)).toBe(true);
    expect(said).toEqual(['installing what project needs']);
    const made = calls();
    expect(await pythonEnv(project(), (text) => said.push(text), signal)).toBe(python);
    expect([calls(), said.length]).toEqual([made, 1]);
    expect(readdirSync(project())).toEqual(['pyproject.toml']);
    expect(envs()).toHaveLength(1);
  });

  test('is another one where the project needs something else', async () => {
    program('uv', UV);
    const first = await pythonEnv(project(), () => {}, signal);
    writeFileSync(join(project(), 'pyproject.toml'), '[project]\nname = "other"\n');
    expect(await pythonEnv(project(), () => {}, signal)).not.toBe(first);
  });

  test('of two runs at once is made whole', async () => {
    program('uv', `${UV}sleep 0.1\n`);
    const both = await Promise.all([pythonEnv(project(), () => {}, signal), pythonEnv(project(), () => {}, signal)]);
    expect(both[0]).toBe(both[1]);
    expect(envs()).toHaveLength(1);
  });

  test('that can not be made is told in the words of uv, and leaves nothing', async () => {
    program('uv', `${UV}if [ "$1" = pip ]; then echo "no solution found" >&2; exit 1; fi\n`);
    const failure = await failureOf(pythonEnv(project(), () => {}, signal));
    expect(failure).toBe('uv could not install what project needs\nno solution found');
    expect(envs()).toEqual([]);
  });

  test('whose making fails at length is told by what failed and why: the first and the last of it', async () => {
    program('uv', `${UV}if [ "$1" = pip ]; then for n in 1 2 3 4 5 6 7 8; do echo "line $n" >&2; done; exit 1; fi\n`);
    const failure = await failureOf(pythonEnv(project(), () => {}, signal));
    expect(failure.split('\n').slice(1)).toEqual(['line 1', 'line 5', 'line 6', 'line 7', 'line 8']);
  });

  test('that is interrupted leaves nothing', async () => {
    program('uv', `${UV}if [ "$1" = pip ]; then exec sleep 20; fi\n`);
    const stop = new AbortController();
    const reason = new Error('stopped');
    const making = pythonEnv(project(), () => setTimeout(() => stop.abort(reason), 200), stop.signal);
    await expect(making).rejects.toBe(reason);
    expect(envs()).toEqual([]);
  });
});

test.each(['exec sleep 20', 'trap "" TERM; sleep 20 & wait; sleep 20'])(
  'an interrupted install leaves no process: %s',
  async (work) => {
    program('uv', `echo $$ > "${home}/leader"\nsleep 20 &\n${work}\n`);
    const stop = new AbortController();
    const reason = new Error('stopped');
    const making = pythonEnv(join(home, 'project'), () => setTimeout(() => stop.abort(reason), 500), stop.signal);
    await expect(making).rejects.toBe(reason);
    const leader = readFileSync(join(home, 'leader'), 'utf8').trim();
    await vi.waitFor(() => expect(membersOf(leader)).toEqual([]));
  },
);

/** Processes of a group that still run. */
function membersOf(leader: string): string[] {
  const all = execFileSync('ps', ['-eo', 'pgid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => {
    const [group, state = ''] = line.trim().split(/\s+/);
    return group === leader && !state.startsWith('Z');
  });
}

describe("gymgen's own environment", () => {
  const own = () => ownPython('agentenv', () => {}, signal);

  test('holds what is locked with hashes, and reads no settings of a folder', async () => {
    program('uv', UV);
    expect(await own()).toMatch(/cache\/gymgen\/envs\/gymgen\/agentenv-[0-9a-f]{16}\/[0-9a-f]{16}\/bin\/python$/);
    const [venv, install] = calls();
    expect(venv).toMatch(/^\/ uv venv --no-config /);
    expect(install).toMatch(
      /^\/ uv pip install --no-config .*--no-deps .*--require-hashes .*requirements\/agentenv\.txt$/,
    );
  });

  test('is never one that a project of the same name and requirements has made', async () => {
    program('uv', UV);
    const project = join(home, 'AgentEnv');
    mkdirSync(project);
    cpSync('requirements/agentenv.txt', join(project, 'requirements.txt'));
    const theirs = await pythonEnv(project, () => {}, signal, join(project, 'requirements.txt'));
    const ours = await own();
    expect(ours).not.toBe(theirs);
    expect(calls().filter((call) => call.includes(' uv venv '))).toHaveLength(2);
  });

  test('is made again if it came with a checkout: this user did not make it', async () => {
    program('uv', UV);
    const python = await own();
    rmSync(join(home, 'state'), { recursive: true });
    expect(await own()).not.toBe(python);
    expect(existsSync(python)).toBe(false);
  });

  test('is made for one run only if it could not be recognised later', async () => {
    program('uv', UV);
    vi.stubEnv('XDG_STATE_HOME', '/dev/null');
    const python = await own();
    expect(existsSync(python)).toBe(true);
    expect(existsSync(join(home, 'cache'))).toBe(false);
    expect(await own()).not.toBe(python);
  });
});

describe('uv', () => {
  beforeEach(() => vi.stubEnv('PATH', join(home, 'bin')));
  const MAKES_VENV =
    'if [ "$3" = venv ]; then /bin/mkdir -p "$4/bin"; printf \'#!/bin/sh\\necho "$PWD pip $*" >> %s/../../../calls\\n: > "%s/bin/uv"\\n\' "$4" "$4" > "$4/bin/python"; /bin/chmod +x "$4/bin/python"; fi\n';
  const ofTheCache = () => expect.stringMatching(/^.*\/cache\/gymgen\/uv-[0-9a-f]{16}\/[0-9a-f]{16}\/bin\/uv$/);

  test('on PATH is used as it is', async () => {
    program('uv', '');
    expect(await findUv(() => {})).toBe(join(home, 'bin/uv'));
    expect(calls()).toEqual([]);
  });

  test('of the current folder is not used, though PATH has relative entries', async () => {
    vi.stubEnv('PATH', [relative(process.cwd(), join(home, 'bin')), ''].join(delimiter));
    program('uv', '');
    expect(await uvPath()).toBeNull();
  });

  test('is installed with the Python on PATH if it is missing, once', async () => {
    program('python3', MAKES_VENV);
    const said: string[] = [];
    const uv = await findUv((text) => said.push(text));
    expect(uv).toEqual(ofTheCache());
    expect(await findUv((text) => said.push(text))).toBe(uv);
    expect(said).toEqual(['installing uv, which serves the Python part']);
    expect(readdirSync(join(home, 'cache/gymgen'))).toHaveLength(1);
  });

  test('is installed in a locked version, by a Python that no file of the current folder can reach', async () => {
    program('python3', MAKES_VENV);
    await findUv(() => {});
    for (const call of calls()) expect(call).toMatch(/^\/ (?:python3|pip) -I -m /);
    expect(calls().at(-1)).toMatch(/--require-hashes .*requirements\/uv\.txt$/);
  });

  test('is installed with pip alone if there is no venv', async () => {
    program(
      'python3',
      'if [ "$3" = venv ]; then echo "ensurepip is not available" >&2; exit 1; fi\nwhile [ "$1" != --target ]; do shift; done\n/bin/mkdir -p "$2/bin"; : > "$2/bin/uv"\n',
    );
    expect(await findUv(() => {})).toEqual(ofTheCache());
  });

  test('is installed again if it came with a checkout', async () => {
    program('python3', MAKES_VENV);
    const uv = await findUv(() => {});
    rmSync(join(home, 'state'), { recursive: true });
    expect(await uvPath()).toBeNull();
    expect(await findUv(() => {})).not.toBe(uv);
    expect(existsSync(uv)).toBe(false);
  });

  test.each<[string, () => void, RegExp]>([
    ['no Python', () => {}, /installing it with python3 failed: python3 is not on PATH/],
    [
      'no registry',
      () => program('python3', 'echo "noise" >&2; echo "no route to host" >&2; exit 1\n'),
      /failed: no route to host/,
    ],
  ])('that cannot be installed is asked for: %s', async (_, given, told) => {
    given();
    const failure = await failureOf(findUv(() => {}));
    expect(failure).toMatch(told);
    expect(failure).toMatch(/fix: install uv \(https/);
    expect(readdirSync(join(home, 'cache/gymgen'))).toEqual([]);
  });
});
