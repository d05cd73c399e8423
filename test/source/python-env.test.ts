import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pythonEnv } from '../../src/source/python-env.js';
import { findUv } from '../../src/source/uv.js';
import { failureOf } from '../support/failure-of.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gymgen-source-'));
  mkdirSync(join(home, 'bin'));
  mkdirSync(join(home, 'project'));
  writeFileSync(join(home, 'project/pyproject.toml'), '[project]\nname = "example"\n');
  vi.stubEnv('XDG_CACHE_HOME', join(home, 'cache'));
  vi.stubEnv('PATH', [join(home, 'bin'), '/usr/bin', '/bin'].join(delimiter));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

/** A program on PATH, which notes how it is called. */
function program(name: string, script: string): void {
  const file = join(home, 'bin', name);
  writeFileSync(file, `#!/bin/sh\necho "${name} $*" >> "${home}/calls"\n${script}`);
  chmodSync(file, 0o755);
}

const calls = () => (existsSync(`${home}/calls`) ? readFileSync(`${home}/calls`, 'utf8').trim().split('\n') : []);
const signal = new AbortController().signal;

/** As uv does it: `uv venv … FOLDER` makes the Python, which the last argument says where. */
const UV = 'for last; do :; done\nif [ "$1" = venv ]; then mkdir -p "$last/bin"; : > "$last/bin/python"; fi\n';

describe('the environment of a project', () => {
  const project = () => join(home, 'project');
  const envs = () => readdirSync(join(home, 'cache/gymgen/envs'));

  test('is made once, outside of its folder', async () => {
    program('uv', UV);
    const said: string[] = [];
    const python = await pythonEnv(project(), (text) => said.push(text), signal);
    expect(python).toMatch(/cache\/gymgen\/envs\/project-[0-9a-f]{16}\/bin\/python$/);
    expect(existsSync(python)).toBe(true);
    expect(said).toEqual(['installing what project needs, for this and later runs']);
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

describe('uv', () => {
  beforeEach(() => vi.stubEnv('PATH', join(home, 'bin')));
  const MAKES_VENV =
    'if [ "$2" = venv ]; then /bin/mkdir -p "$3/bin"; printf \'#!/bin/sh\\n: > "%s/bin/uv"\\n\' "$3" > "$3/bin/python"; /bin/chmod +x "$3/bin/python"; fi\n';

  test('on PATH is taken', async () => {
    program('uv', '');
    expect(await findUv(() => {})).toBe('uv');
  });

  test('is installed with the Python on PATH where it is not there, once', async () => {
    program('python3', MAKES_VENV);
    const said: string[] = [];
    const uv = await findUv((text) => said.push(text));
    expect(uv).toBe(join(home, 'cache/gymgen/uv/bin/uv'));
    expect(await findUv((text) => said.push(text))).toBe(uv);
    expect(said).toEqual(['installing uv, which serves the Python part']);
    expect(readdirSync(join(home, 'cache/gymgen'))).toEqual(['uv']);
  });

  test('is installed with pip alone where there is no venv', async () => {
    program(
      'python3',
      'if [ "$2" = venv ]; then echo "ensurepip is not available" >&2; exit 1; fi\n/bin/mkdir -p "$7/bin"; : > "$7/bin/uv"\n',
    );
    expect(await findUv(() => {})).toBe(join(home, 'cache/gymgen/uv/bin/uv'));
  });

  test.each<[string, () => void, RegExp]>([
    ['no Python', () => {}, /installing it with python3 failed.*ENOENT/],
    [
      'no registry',
      () => program('python3', 'echo "noise" >&2; echo "no route to host" >&2; exit 1\n'),
      /failed: no route to host/,
    ],
  ])('is asked for where it can not be installed: %s', async (_, given, told) => {
    given();
    const failure = await failureOf(findUv(() => {}));
    expect(failure).toMatch(told);
    expect(failure).toMatch(/fix: install uv \(https/);
    expect(readdirSync(join(home, 'cache/gymgen'))).toEqual([]);
  });
});
