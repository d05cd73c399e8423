import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ensureUv, findUv, lockedRequirements } from '../../src/source/programs.js';
import { Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';
import { fakeMachine } from '../support/fake-machine.js';

const machine = fakeMachine();

describe('uv', () => {
  beforeEach(() => vi.stubEnv('PATH', join(machine.home, 'bin')));
  const CREATES_VENV =
    'if [ "$3" = venv ]; then /bin/mkdir -p "$4/bin"; printf \'#!/bin/sh\\necho "$PWD pip $*" >> %s/../../../calls\\n: > "%s/bin/uv"\\n\' "$4" "$4" > "$4/bin/python"; /bin/chmod +x "$4/bin/python"; fi\n';
  const inCache = () => expect.stringMatching(/^.*\/cache\/gymgen\/uv-[0-9a-f]{16}\/[0-9a-f]{16}\/bin\/uv$/);

  test('on PATH is used', async () => {
    machine.program('uv', '');
    expect(await ensureUv(new Said())).toBe(join(machine.home, 'bin/uv'));
    expect(machine.calls()).toEqual([]);
  });

  test('in the current folder is not used, even if PATH has relative entries', async () => {
    vi.stubEnv('PATH', [relative(process.cwd(), join(machine.home, 'bin')), ''].join(delimiter));
    machine.program('uv', '');
    expect(await findUv()).toBeUndefined();
  });

  test('is installed once, with the Python on PATH, if it is missing', async () => {
    machine.program('python3', CREATES_VENV);
    const said = new Said();
    const uv = await ensureUv(said);
    expect(uv).toEqual(inCache());
    expect(await ensureUv(said)).toBe(uv);
    expect(said.progressed).toEqual([
      { phase: 'install', what: 'uv' },
      { phase: 'step', what: 'preparing uv' },
    ]);
    expect(readdirSync(join(machine.home, 'cache/gymgen'))).toHaveLength(1);
  });

  test('is installed in the locked version, unaffected by files in the current folder', async () => {
    machine.program('python3', CREATES_VENV);
    await ensureUv(new Said());
    for (const call of machine.calls()) expect(call).toMatch(/^\/ (?:python3|pip) -I -m /);
    expect(machine.calls().at(-1)).toMatch(/--require-hashes .*requirements\/uv\.txt$/);
  });

  test('is installed with pip if Python cannot create a venv', async () => {
    machine.program(
      'python3',
      'if [ "$3" = venv ]; then echo "ensurepip is not available" >&2; exit 1; fi\nwhile [ "$1" != --target ]; do shift; done\n/bin/mkdir -p "$2/bin"; : > "$2/bin/uv"\n',
    );
    expect(await ensureUv(new Said())).toEqual(inCache());
  });

  test('is installed again if it came with a checkout', async () => {
    machine.program('python3', CREATES_VENV);
    const uv = await ensureUv(new Said());
    rmSync(join(machine.home, 'state'), { recursive: true });
    expect(await findUv()).toBeUndefined();
    expect(await ensureUv(new Said())).not.toBe(uv);
    expect(existsSync(uv)).toBe(false);
  });

  test.each<[string, () => void, RegExp]>([
    ['no Python', () => {}, /installing it with python3 failed: python3 is not on PATH/],
    [
      'no registry',
      () => machine.program('python3', 'echo "noise" >&2; echo "no route to host" >&2; exit 1\n'),
      /failed: no route to host/,
    ],
  ])('that cannot be installed is an error: %s', async (_, prepare, message) => {
    prepare();
    const failure = await failureOf(ensureUv(new Said()));
    expect(failure).toMatch(message);
    expect(failure).toMatch(/fix: install uv \(https/);
    expect(readdirSync(join(machine.home, 'cache/gymgen'))).toEqual([]);
  });
});

describe.each(['uv', 'agentenv', 'gridsim'] as const)('the lock file of %s', (name) => {
  const text = readFileSync(lockedRequirements(name), 'utf8');
  const entries = text.replaceAll('\\\n', '').trim().split('\n');

  test('pins each package to one version, with a hash for each file', () => {
    for (const entry of entries)
      expect(entry).toMatch(/^[a-z0-9-]+==[\w.]+(?: ; [^\\]+)?(?: +--hash=sha256:[0-9a-f]{64})+$/);
  });

  test('names no index, so that the user can choose a mirror', () => {
    expect(text).not.toMatch(/:\/\/|--(?:extra-)?index-url|--find-links/);
  });
});

test('the lock file of the demo has the versions that its project requires', () => {
  const required = /^dependencies = \["([^"]+)", "uvicorn/m.exec(
    readFileSync('fixtures/gridsim/pyproject.toml', 'utf8'),
  )?.[1];
  expect(required).toMatch(/^openenv==/);
  expect(readFileSync(lockedRequirements('gridsim'), 'utf8')).toContain(`\n${required} \\\n`);
});
