// `gymgen doctor` agrees with NeMo Gym on whether `uv venv` finds the Python that `gym` asks for. Real uv, real venvs.

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, expect, test } from 'vitest';
import { findUv } from '../../scripts/toolchain.mjs';
import { tempFolder } from './support/gymgen.js';
import { gymgenBin, toolchainEnv, venv } from './support/toolchain.js';

const work = tempFolder();
/** A folder for PATH that has only uv. */
const uvOnly = tempFolder();
let gymVenv: string;
let version: string;

/** An environment with nothing of this machine except HOME, and no Python that uv has installed or could download. */
const bare = {
  HOME: work,
  XDG_STATE_HOME: join(work, 'state'),
  UV_PYTHON_INSTALL_DIR: join(work, 'no-pythons'),
  UV_PYTHON_DOWNLOADS: 'never',
};
type Env = Record<string, string>;

const within = (env: Env) => ({ cwd: work, extendEnv: false, env: { ...bare, ...env }, reject: false }) as const;

interface Check {
  name: string;
  found: string | null;
  fix?: string;
  problem?: string;
}

async function doctor(env: Env) {
  const { stdout, exitCode } = await execa(process.execPath, [gymgenBin(), 'doctor', '--json'], within(env));
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return { exitCode, uv: named(checks, 'uv'), python: named(checks, 'Python'), gym: named(checks, 'gym') };
}

function named(checks: Check[], name: string): Check {
  return checks.find((check) => check.name.split(' ')[0] === name) as Check;
}

/** Runs a line in a shell, then creates a venv as NeMo Gym does. Returns the exit code. */
async function venvAsGym(env: Env, line = ':'): Promise<number | undefined> {
  const create = `uv venv --quiet --no-project --allow-existing --python ${version} server`;
  return (await execa('/bin/sh', ['-c', `${line}\n${create}`], within(env))).exitCode;
}

beforeAll(async () => {
  gymVenv = await venv('gym');
  const program = 'import platform; print(platform.python_version())';
  version = (await execa(join(gymVenv, 'bin/python'), ['-c', program])).stdout;
  symlinkSync(findUv(), join(uvOnly, 'uv'));
});

test('a bare machine has neither uv nor the Python', async () => {
  const { exitCode, uv, python, gym } = await doctor({ PATH: tempFolder() });
  expect(exitCode).toBe(1);
  expect([uv.found, python.found, gym.found]).toEqual([null, null, null]);
});

test('in an active venv with gym, the Python is missing for uv, and the fix makes `uv venv` work', async () => {
  const env = { VIRTUAL_ENV: gymVenv, PATH: `${join(gymVenv, 'bin')}:${uvOnly}` };
  const { exitCode, python, gym } = await doctor(env);
  expect(exitCode).toBe(1);
  expect(gym.found).toContain(join(gymVenv, 'bin/gym'));
  expect(python).toMatchObject({ name: `Python ${version}`, found: null, fix: expect.stringMatching(/^export PATH=/) });
  expect(await venvAsGym(env)).not.toBe(0);
  expect(await venvAsGym(env, python.fix)).toBe(0);
  const { stdout: PATH } = await execa('/bin/sh', ['-c', `${python.fix}\necho "$PATH"`], within(env));
  expect((await doctor({ ...env, PATH })).python.found).toContain(`${version}, `);
});

test('with the Python on PATH, it is found', async () => {
  const env = { PATH: [join(gymVenv, 'bin'), uvOnly, toolchainEnv().PATH].join(':') };
  expect((await doctor(env)).python.found).toContain(`${version}, `);
  expect(await venvAsGym(env)).toBe(0);
});

test('with uv off PATH, uv is missing', async () => {
  const { exitCode, uv, python } = await doctor({ VIRTUAL_ENV: gymVenv, PATH: join(gymVenv, 'bin') });
  expect(exitCode).toBe(1);
  expect(uv).toMatchObject({ found: null, fix: expect.stringContaining('uv') });
  expect(python).toMatchObject({ found: null, problem: 'unknown without uv' });
});

test('an older Python does not count', async () => {
  const tools = tempFolder();
  symlinkSync(findUv(), join(tools, 'uv'));
  const older = await execa(findUv(), ['python', 'find', '--system', '--no-project', '>=3.9,<3.13.14'], { cwd: '/' });
  symlinkSync(older.stdout, join(tools, 'python3'));
  const { exitCode, uv, python } = await doctor({ PATH: tools });
  expect({ exitCode, uv: uv.found !== null }).toEqual({ exitCode: 1, uv: true });
  expect(python).toMatchObject({ found: null, fix: expect.not.stringContaining('uv python install') });
});
