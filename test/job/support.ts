// Packages with real wheels, and the host script of a NeMo Platform job, which plays them.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect } from 'vitest';
import type { Move } from '../../src/play/index.js';
import { startGymgen } from '../e2e/support/gymgen.js';
import { python, toolchainEnv } from '../e2e/support/toolchain.js';

const HERE = dirname(fileURLToPath(import.meta.url));

/** A Python with nemo-helix 0.8.1, nemo-helix-plugin 0.8.1 and nemo-sandboxed-gym 0.1.0. */
export const oracles = process.env.GYMGEN_ORACLES ?? '';
/** Whether a job can have a network namespace with loopback only. */
export const isolated = spawnSync('unshare', ['-rnm', 'true']).status === 0;

/** Runs gymgen, which must succeed. */
export async function gymgen(args: string[], env: Record<string, string> = {}): Promise<string> {
  const { exitCode, stdout, stderr } = await startGymgen(args, { ...toolchainEnv(), ...env });
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout + stderr;
}

export interface Row {
  responses_create_params: { input: { role: string; content: string }[] };
  split: string;
  index: number;
  task_id: string;
  info?: { split: string; index: number };
}

const ROWS = 20;

/** The first rows of a file. */
export const rowsOf = (file: string): Row[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(0, ROWS)
    .map((line) => JSON.parse(line));

export const promptOf = (row: Row) =>
  row.responses_create_params.input.filter(({ role }) => role === 'user').at(-1)?.content ?? '';

/** A program that a job needs: its command line, its folder and its port. */
export type Needed = [command: string[], cwd: string, port: number];

export interface Job {
  /** Folder of the package. */
  out: string;
  /** An existing folder for temporary files. */
  work: string;
  rows: Row[];
  /** What the model does on a row. */
  moves: (row: Row) => Move[];
  servers: Needed[];
  /** Wheels of a package index, for native-v1. Other formats are played offline. */
  index?: string;
}

/** Plays rows with the host script, without network. @returns the reward of each */
export async function jobRewards({ out, work, rows, moves, servers, index }: Job): Promise<number[]> {
  const gym = await python('gym');
  const request = {
    package: join(out, 'environment'),
    python: gym,
    runtime: join(dirname(oracles), '../lib/python3.13/site-packages'),
    work: mkdtempSync(join(work, 'job-')),
    servers,
    moves: Object.fromEntries(rows.map((row) => [promptOf(row), moves(row)])),
    rows,
    offline: index === undefined,
    find_links: index ?? null,
  };
  const namespace = ['-rnm', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const { stdout } = await execa('unshare', [...namespace, gym, join(HERE, 'play_package.py')], {
    input: JSON.stringify(request),
    env: toolchainEnv(),
    stderr: 'inherit',
  });
  const results = JSON.parse(stdout) as { row: number; result: { reward: number } }[];
  return results.sort((a, b) => a.row - b.row).map(({ result }) => result.reward);
}

const JUDGE = `
import sys
from pathlib import Path
from sandboxed_gym.environment_package import load_environment_package
from nhx.rl.tasks.environment.convert import assert_wheels_target_platform
from nhx.rl.tasks.training.datasets.validation import DatasetValidator
from nhx.rl.entities.values import TrainingType
from nemo_rl_plugin.schema import RlJobInput
out = Path(sys.argv[1])
load_environment_package(out / "environment")
if (out / "environment/wheels").exists() and sys.argv[2] == "linux/amd64":
    assert_wheels_target_platform(out / "environment/wheels")
for rows in (out / "dataset").iterdir():
    DatasetValidator(training_type=TrainingType.GRPO).validate_dataset(str(rows))
RlJobInput.model_validate_json((out / "job.json").read_text())
`;

/** NeMo Platform's checkers accept a package, its dataset and its job. */
export async function assertAccepted(out: string, platform = 'linux/amd64'): Promise<void> {
  const validate = ['-m', 'nhx.rl.tasks.environment', '--validate-only', join(out, 'environment')];
  const { stdout } = await execa(oracles, validate, { cwd: '/' });
  expect(JSON.parse(stdout)).toMatchObject({ valid: true });
  await execa(oracles, ['-c', JUDGE, out, platform], { cwd: '/' });
}
