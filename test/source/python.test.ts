import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { projectPython } from '../../src/source/project-python.js';
import { GYM_PYTHON, missingPython, ownPython } from '../../src/source/python.js';
import { Said } from '../support/discovered.js';
import { FAKE_UV, fakeMachine } from '../support/fake-machine.js';

const machine = fakeMachine();
const signal = new AbortController().signal;

describe('the environment of locked packages', () => {
  const own = () => ownPython('agentenv', new Said(), signal);

  test('has the packages of the lock file, with hashes, and reads no settings of a folder', async () => {
    machine.program('uv', FAKE_UV);
    expect(await own()).toMatch(/cache\/gymgen\/envs\/gymgen\/agentenv-[0-9a-f]{16}\/[0-9a-f]{16}\/bin\/python$/);
    const [venv, install] = machine.calls();
    expect(venv).toMatch(/^\/ uv venv --no-config /);
    expect(install).toMatch(
      /^\/ uv pip install --no-config .*--no-deps .*--require-hashes .*requirements\/agentenv\.txt$/,
    );
  });

  test('is never that of a project with the same name and requirements', async () => {
    machine.program('uv', FAKE_UV);
    const project = join(machine.home, 'AgentEnv');
    mkdirSync(project);
    cpSync('requirements/agentenv.txt', join(project, 'requirements.txt'));
    const theirs = await projectPython(project, new Said(), signal);
    const ours = await own();
    expect(ours).not.toBe(theirs);
    expect(machine.calls().filter((call) => call.includes(' uv venv '))).toHaveLength(2);
  });

  test('is created again if it came with a checkout, since this user did not create it', async () => {
    machine.program('uv', FAKE_UV);
    const python = await own();
    rmSync(join(machine.home, 'state'), { recursive: true });
    expect(await own()).not.toBe(python);
    expect(existsSync(python)).toBe(false);
  });

  test('is created for one run only if the user has no state folder', async () => {
    machine.program('uv', FAKE_UV);
    vi.stubEnv('XDG_STATE_HOME', '/dev/null');
    const python = await own();
    expect(existsSync(python)).toBe(true);
    expect(existsSync(join(machine.home, 'cache'))).toBe(false);
    expect(await own()).not.toBe(python);
  });
});

test('a missing Python is reported with its version and how to install it', () => {
  const output = 'error: No interpreter found for Python >=3.11,>=3.99 in managed installations or search path\n';
  expect(missingPython('maze', '>=3.11,>=3.99', output)).toMatchObject({
    message: 'maze requires Python >=3.11,>=3.99, which was not found',
    details: [output.trim()],
    fix: "install it: uv python install '>=3.11,>=3.99'",
  });
});

test("NeMo Gym's Python is left to doctor, which knows what works on the machine", () => {
  const output = 'error: No interpreter found for Python >=3.13.14, <3.14 in search path\n';
  expect(missingPython('NeMo Gym', GYM_PYTHON, output)?.fix).toContain('gymgen doctor');
});

test('any other failure of uv is not a missing Python', () => {
  expect(missingPython('maze', '>=3.11', 'error: No solution found when resolving dependencies')).toBeNull();
});
