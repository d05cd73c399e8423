// Packages for evaluations: judged by the evaluator of NeMo Platform.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, test } from 'vitest';
import { REPOSITORY } from '../e2e/support/toolchain.js';
import { gymgen, oracles } from './support.js';

/** What the evaluator checks at submit, and the rows that it makes of the dataset for the run. */
const JUDGE = `
import sys
from pathlib import Path
from nemo_evals.jobs.agent_spec import AgentEvalInputSpec
from nemo_evals.jobs.gym_environment_package import (
    parse_environment_manifest, validate_environment_manifest_against_listing)
from nhx_evals_sdk.agent_eval.runtimes.gym import discover_gym_tasks
from nhx_evals_sdk.agent_eval.runtimes.gym.dataset import materialize_dataset
out = Path(sys.argv[1])
environment = out / "environment"
manifest = parse_environment_manifest((environment / "nemo-environment.yaml").read_bytes())
files = {path.relative_to(environment).as_posix() for path in environment.rglob("*") if path.is_file()}
validate_environment_manifest_against_listing(manifest, files)
materialize_dataset(discover_gym_tasks(out / "dataset/training.jsonl"), Path(sys.argv[2]))
spec = AgentEvalInputSpec.model_validate_json((out / "job.json").read_text())
print(type(spec.target).__name__, *spec.target.env_secrets.values())
`;

const work = mkdtempSync(join(tmpdir(), 'gymgen-evals-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const rows = join(work, 'rows.jsonl');
const judge = (out: string) => execa(oracles, ['-c', JUDGE, out, rows], { cwd: '/', reject: false });

const jsonLines = (file: string): object[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe.skipIf(oracles === '')('a package for evaluations', () => {
  const out = join(work, 'out');

  test('is accepted with its job, and its rows are played as they are', async () => {
    const args = ['package', join(REPOSITORY, 'fixtures/roots'), 'everything', '-o', out, '--format', 'native-v1'];
    await gymgen([...args, '--target', 'evals', '--train', 'eval', '--url-is-reachable']);
    const { exitCode, stdout, stderr } = await judge(out);
    expect([exitCode, stdout], stderr).toEqual([0, "GymRunnerTarget root='default/token'"]);
    const played = jsonLines(rows).map(({ _ng_task_index: _, ...row }: { _ng_task_index?: number }) => row);
    expect(played).toEqual(jsonLines(join(out, 'dataset/training.jsonl')));
  });

  test.each(['source', 'resources_server'])('is not accepted without the %s of its target', async (key) => {
    const file = join(out, 'job.json');
    const text = readFileSync(file, 'utf8');
    const job = JSON.parse(text);
    delete job.target[key];
    writeFileSync(file, JSON.stringify(job));
    const { exitCode, stderr } = await judge(out);
    writeFileSync(file, text);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('validation errors for AgentEvalInputSpec')]);
  });
});
