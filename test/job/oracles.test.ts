import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findUv } from '../../scripts/toolchain.mjs';
import { offlineUvFlags } from '../../src/rules/index.js';
import { copyOf, FIXTURES, judged, linesOf, makeBroken, tempFolder, withToolchain } from '../validate/support.js';

/** A Python with nemo-helix 0.8.1, nemo-helix-plugin 0.8.1 and nemo-sandboxed-gym 0.1.0. */
const python = process.env.GYMGEN_ORACLES ?? '';

interface Case {
  kind: string;
  base: string;
  helix?: string;
  sandboxed_gym?: string;
  in_container?: string;
  ours: string;
}

const observed: Record<string, Case> = JSON.parse(readFileSync(join(FIXTURES, 'observed.json'), 'utf8'));

/** Asks each checker about folders. It prints for each: its name, and whether each checker accepts it. */
const ORACLES = `
import json, logging, sys
from pathlib import Path
logging.disable(logging.CRITICAL)
from nhx.rl.entities.values import TrainingType
from nhx.rl.tasks.environment.validate import load_manifest, validate_package_layout
from nhx.rl.tasks.training.datasets.validation import DatasetValidator
from sandboxed_gym.environment_package import load_environment_package

def accepts(check):
    try:
        check()
        return True
    except Exception:
        return False

def helix(path):
    validate_package_layout(path, load_manifest(path))

def container(path):
    for name in ("training.jsonl", "validation.jsonl"):
        if (path / name).exists():
            DatasetValidator(training_type=TrainingType.GRPO).validate_dataset(str(path / name))

answers = {}
for name, kind in json.load(sys.stdin):
    path = Path(sys.argv[1]) / name
    if kind == "dataset":
        answers[name] = {"container": accepts(lambda: container(path))}
    else:
        answers[name] = {"helix": accepts(lambda: helix(path)), "loader": accepts(lambda: load_environment_package(path))}
json.dump(answers, sys.stdout)
`;

type Answers = Record<string, { helix?: boolean; loader?: boolean; container?: boolean }>;

function ask(folder: string, cases: readonly (readonly [string, string])[]): Answers {
  const { stdout, stderr, status } = spawnSync(python, ['-c', ORACLES, folder], {
    input: JSON.stringify(cases),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe.skipIf(python === '')('the checkers of NeMo Platform (GYMGEN_ORACLES)', () => {
  let folder: string;
  beforeAll(() => {
    withToolchain();
    folder = makeBroken();
  }, 120_000);
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  test('say of each case what is recorded, and gymgen finds all that they refuse', () => {
    const cases = Object.entries(observed).map(([name, { base }]) => [name, base] as const);
    const answers = ask(folder, cases);
    const differs = Object.entries(observed).filter(([name, one]) => {
      const answer = answers[name] ?? {};
      const pairs = [
        [answer.helix, one.helix],
        [answer.loader, one.sandboxed_gym],
        [answer.container, one.in_container],
      ] as const;
      return pairs.some(
        ([now, then]) => then !== undefined && then !== '-' && now !== undefined && now !== then.startsWith('accepts'),
      );
    });
    expect(differs.map(([name]) => name)).toEqual([]);
    const refused = Object.keys(answers).filter((name) => Object.values(answers[name] ?? {}).includes(false));
    expect(refused.filter((name) => observed[name]?.ours !== 'error')).toEqual([]);
    expect(refused.length).toBeGreaterThan(40);
  });

  test("the Platform's own writer makes a package that is valid", async () => {
    const out = join(tempFolder(), 'package');
    const program = `
import sys
from pathlib import Path
from nhx.rl.tasks.environment.package import write_adapter_wheels_package
write_adapter_wheels_package(out_dir=Path(sys.argv[1]), hub_id="primeintellect/weather-v1", wheels_src=Path(sys.argv[2]))
`;
    const written = spawnSync(python, ['-c', program, out, join(folder, 'good-adapter', 'wheels')], {
      encoding: 'utf8',
    });
    expect(written.status, written.stderr).toBe(0);
    expect(linesOf(await judged(out))).toEqual([]);
  });

  test('what the checkers refuse of a mutated manifest, gymgen finds, too', async () => {
    const random = randomFrom(20261201);
    const manifest = readFileSync(join(folder, 'good-adapter', 'nemo-environment.yaml'), 'utf8')
      .trimEnd()
      .split('\n');
    const changes = Array.from({ length: 30 }, () => mutated(manifest, random));
    const names = changes.map((lines, at) => {
      const name = `mutation-${at}`;
      spawnSync('cp', ['-r', join(folder, 'good-adapter'), join(folder, name)]);
      spawnSync('sh', ['-c', 'cat > "$0"', join(folder, name, 'nemo-environment.yaml')], {
        input: `${lines.join('\n')}\n`,
      });
      return name;
    });
    const answers = ask(
      folder,
      names.map((name) => [name, 'adapter'] as const),
    );
    const missed: string[] = [];
    for (const [at, name] of names.entries()) {
      const { helix, loader } = answers[name] ?? {};
      const { findings } = await judged(join(folder, name));
      const isFound = findings.some(({ severity }) => severity === 'error');
      if ((!helix || !loader) && !isFound) missed.push(changes[at]?.join('\n') ?? '');
    }
    expect(missed).toEqual([]);
  });

  test('what the checkers, or the first install of a job, refuse of a mutated wheel, gymgen finds, too', async () => {
    const made = mutatedWheels(join(folder, 'good-wheels'), folder);
    const answers = ask(
      folder,
      made.map(({ package: name }) => [name, 'wheels'] as const),
    );
    const [missed, falseAlarms]: [string[], string[]] = [[], []];
    for (const { package: name, change } of made) {
      const { helix, loader } = answers[name] ?? {};
      const isAccepted = helix === true && loader === true && installs(join(folder, name, 'wheels'));
      const { findings } = await judged(join(folder, name));
      const errors = findings.filter(({ severity }) => severity === 'error');
      if (!isAccepted && findings.length === 0) missed.push(change);
      if (isAccepted && errors.length > 0) falseAlarms.push(`${change}: ${errors.map(({ code }) => code)}`);
    }
    expect({ missed, falseAlarms }).toEqual({ missed: [], falseAlarms: [] });
  });
});

interface Mutation {
  package: string;
  /** What was changed of which wheel. */
  change: string;
}

/** Copies of a package, each with one change to a wheel. */
function mutatedWheels(good: string, out: string): Mutation[] {
  const program = join(dirname(fileURLToPath(import.meta.url)), 'mutate_wheels.py');
  const { status, stdout, stderr } = spawnSync(python, [program, good, out, '60', '20261201'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Whether uv installs all wheels of a package, as a job does first. Nothing of an earlier install is known. */
function installs(wheels: string): boolean {
  const work = tempFolder();
  const files = readdirSync(wheels).map((name) => join(wheels, name));
  const args = ['pip', 'install', ...offlineUvFlags(wheels, 'linux/amd64'), '--target', join(work, 'site'), ...files];
  const env = { ...process.env, UV_CACHE_DIR: join(work, 'cache') };
  return spawnSync(findUv(), [...args, '--python', python], { cwd: work, env }).status === 0;
}

/** One line of a file is removed, repeated, cut, or changed in one character. */
function mutated(lines: readonly string[], random: (below: number) => number): string[] {
  const at = random(lines.length);
  const line = lines[at] as string;
  const cut = random(line.length) + 1;
  const changes = [
    [],
    [line, line],
    [line.slice(0, cut)],
    [`${line.slice(0, cut - 1)}${'xX_-./:'[random(7)]}${line.slice(cut)}`],
    [line.replace(/(\w)(\w)/, '$2$1')],
  ];
  return [...lines.slice(0, at), ...(changes[random(changes.length)] as string[]), ...lines.slice(at + 1)];
}

/** Numbers below a bound that depend only on the seed (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) % below;
  };
}

describe('rows that are mutated', () => {
  test('are judged as the check in the container does, or more strictly', async ({ skip }) => {
    if (python === '') return skip('GYMGEN_ORACLES is not set');
    withToolchain();
    const folder = makeBroken('row-list');
    const random = randomFrom(7);
    const rows = readFileSync(join(folder, 'good-dataset', 'training.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    const missed: string[] = [];
    for (let count = 0; count < 60; count += 1) {
      const lines = mutatedRow(rows, random);
      const copy = copyOf(join(folder, 'good-dataset'), { 'training.jsonl': `${lines.join('\n')}\n` });
      const answer = ask(join(copy, '..'), [['copy', 'dataset']]).copy;
      const { findings } = await judged(copy, { packageOfRows: join(folder, 'good-native') });
      if (answer?.container === false && findings.length === 0) missed.push(lines.join('\n'));
    }
    rmSync(folder, { recursive: true, force: true });
    expect(missed).toEqual([]);
  });
});

function mutatedRow(rows: readonly string[], random: (below: number) => number): string[] {
  const at = random(rows.length);
  const row = rows[at] as string;
  const cut = random(row.length) + 1;
  const keys = [...row.matchAll(/"(\w+)":/g)];
  const key = keys[random(keys.length)];
  const renamed =
    key === undefined ? row : `${row.slice(0, key.index)}"${key[1]}s":${row.slice(key.index + key[0].length)}`;
  const flipped = `${row.slice(0, cut - 1)}${'{}[]":,x0'[random(9)]}${row.slice(cut)}`;
  const change = [row.slice(0, cut), renamed, flipped][random(3)] as string;
  return [...rows.slice(0, at), change, ...rows.slice(at + 1)];
}
