import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findUv } from '../../scripts/toolchain.mjs';
import { copyOf, FIXTURES, judged, linesOf, makeBroken, tempFolder, withToolchain } from './support.js';

/** What the checkers and the start of the job say of each case (recorded), and what gymgen is to find. */
interface Case {
  base: string;
  kind: string;
  fault: string;
  /** nemo-helix 0.8.1, `--validate-only`. */
  helix?: string;
  /** nemo-sandboxed-gym 0.1.0, the loader of the job. */
  sandboxed_gym?: string;
  /** nemo-helix's check of a dataset at submit, and in the container. */
  submit?: string;
  in_container?: string;
  job: string;
  ours: 'error' | 'warning' | 'none';
  /** `severity code file:line`, in order. */
  finds: string[];
}

const observed: Record<string, Case> = JSON.parse(readFileSync(join(FIXTURES, 'observed.json'), 'utf8'));
const cases = Object.entries(observed);
let folder: string;

beforeAll(() => {
  withToolchain();
  folder = makeBroken();
}, 120_000);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const TOOLSETS = '{"toolsets":[{"key":"agent:a","turns":[["get_weather"]],"tools":[{"name":"get_weather"}]}]}';

/** The package that the rows of a case are for. */
function packageOf(name: string): string {
  if (name.includes('-vf-')) return join(folder, 'good-adapter');
  const native = join(folder, 'good-native');
  if (name !== 'row-tool-unknown') return native;
  return copyOf(native, { 'resources_servers/weather/toolsets.json': TOOLSETS });
}

function judgedCase(name: string, { kind }: Case) {
  const target = join(folder, name, name.includes('-vf-') ? 'training.jsonl' : '');
  const isRows = kind === 'row' || name === 'good-dataset';
  return judged(target, {
    ...(isRows && { packageOfRows: packageOf(name) }),
    ...(name === 'cross-type' && { target: 'evals' }),
  });
}

describe.each(['good', 'manifest', 'layout', 'install', 'config', 'row', 'wheel'])('%s', (kind) => {
  const some = cases.filter(([, one]) => one.kind === kind);
  test.each(some.map(([name, one]) => [name, one.fault, one] as const))('%s: %s', async (name, _, one) => {
    const found = await judgedCase(name, one);
    expect(found.notJudged).toEqual([]);
    expect(linesOf(found)).toEqual(one.finds);
    const worst = found.findings.some(({ severity }) => severity === 'error') ? 'error' : 'warning';
    expect(found.findings.length === 0 ? 'none' : worst).toBe(one.ours);
  });
});

test('all cases that a checker or the job refuses are errors', () => {
  const refused = cases.filter(([, one]) => {
    const checkers = [one.helix, one.sandboxed_gym, one.submit, one.in_container];
    return checkers.some((said) => said !== undefined && !said.startsWith('accepts') && said !== '-');
  });
  expect(refused.filter(([, { ours }]) => ours !== 'error').map(([name]) => name)).toEqual([]);
  const failed = cases.filter(([, { job }]) => /fail|refused by|error/i.test(job));
  expect(failed.filter(([, { ours }]) => ours === 'none').map(([name]) => name)).toEqual([]);
  expect([cases.length, refused.length]).toEqual([144, 49]);
});

test('with --target evals, the name of an agent and a resources server is found', async () => {
  expect(linesOf(await judged(join(folder, 'cross-type')))).toEqual([]);
});

test('wheels for arm64 are judged for arm64', async () => {
  const found = await judged(join(folder, 'good-wheels'), { platform: 'linux/arm64' });
  expect(linesOf(found).map((line) => line.replace(/ wheels\/(\w+)-.*/, ' $1'))).toEqual([
    'error wheel-tag aiohttp',
    'error wheel-tag ray',
    'error wheel-tag uvloop',
  ]);
});

test('--pin names the versions of another image', async () => {
  const other = join(folder, 'pin-ray-other');
  expect(linesOf(await judged(other, { pins: ['ray==2.59.0'] }))).toEqual([]);
});

describe('on a machine', () => {
  /** Runs without the programs and caches of this machine. */
  const elsewhere = async (path: string, work: () => Promise<void>) => {
    for (const name of ['XDG_CACHE_HOME', 'XDG_DATA_HOME', 'UV_PYTHON_INSTALL_DIR']) vi.stubEnv(name, '/nowhere');
    vi.stubEnv('PATH', path);
    try {
      await work();
    } finally {
      vi.unstubAllEnvs();
      withToolchain();
    }
  };

  test('without uv, one warning says what was not judged', async () => {
    await elsewhere('/nowhere', async () => {
      const wheels = await judged(join(folder, 'closure-missing'));
      expect(linesOf(wheels)).toEqual(['warning wheels-not-judged wheels']);
      expect(wheels.notJudged).toEqual(['wheels and Python files: uv not found']);
      const sources = await judged(join(folder, 'app-syntax'));
      expect(linesOf(sources)).toEqual(['warning python-not-judged resources_servers/weather/app.py']);
      expect(sources.notJudged).toEqual(['Python files: uv not found']);
    });
  });

  test('without Python, too', async () => {
    const programs = tempFolder();
    symlinkSync(findUv(), join(programs, 'uv'));
    await elsewhere(programs, async () => {
      const { notJudged } = await judged(join(folder, 'app-syntax'));
      expect(notJudged).toEqual(['Python files: no Python 3.13 or newer found']);
    });
  });
});
