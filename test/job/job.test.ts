// Packages with real wheels: judged by NeMo Platform's own checkers, and played by the host script of a job.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Move } from '../../src/play/index.js';
import { startGymgen } from '../e2e/support/gymgen.js';
import { bundleFolder } from '../e2e/support/mcp-servers.js';
import { endings } from '../e2e/support/processes.js';
import { python, toolchainEnv } from '../e2e/support/toolchain.js';
import { movesOn } from '../e2e/support/trader.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const GRIDSIM = join(HERE, '../../fixtures/gridsim');
const ROWS = 20;
const PORT = 8000;

const oracles = process.env.GYMGEN_ORACLES ?? '';
const isolated = spawnSync('unshare', ['-rnm', 'true']).status === 0;
const work = mkdtempSync(join(tmpdir(), 'gymgen-job-'));
const root = join(work, 'root');
const ending = endings();

async function gymgen(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await startGymgen(args, toolchainEnv());
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

interface Row {
  responses_create_params: { input: { role: string; content: string }[] };
  split: string;
  index: number;
  info?: { split: string; index: number };
}

const rowsOf = (file: string): Row[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, ROWS)
    .map((line) => JSON.parse(line));

const promptOf = (row: Row) =>
  row.responses_create_params.input.filter(({ role }) => role === 'user').at(-1)?.content ?? '';

/** The rewards of the same moves with the real openenv client, without NeMo Gym. */
async function directRewards(rows: Row[]): Promise<number[]> {
  const server = execa(await python('gym'), ['-m', 'server.app', '--port', '0', '--until-stdin-closes'], {
    cwd: GRIDSIM,
    reject: false,
    buffer: false,
    stdin: 'pipe',
  });
  let url = '';
  for await (const line of server) {
    url = JSON.parse(line).url;
    break;
  }
  const episodes = rows.map((row) => {
    const { split, index } = row.info ?? row;
    return { split, index, moves: movesOn(promptOf(row)) };
  });
  const direct = join(HERE, '../e2e/support/direct_play.py');
  const { stdout } = await execa(await python('gym'), [direct], { input: JSON.stringify({ url, episodes }) });
  server.stdin?.end();
  return (JSON.parse(stdout) as { reward: number }[]).map(({ reward }) => reward);
}

/** Plays the first rows of a package's dataset with the host script, without network. */
async function jobRewards(out: string, rows: Row[], more: { offline: boolean; find_links: string | null }) {
  const folder = mkdtempSync(join(work, 'job-'));
  const moves: Record<string, Move[]> = Object.fromEntries(rows.map((row) => [promptOf(row), movesOn(promptOf(row))]));
  const gym = await python('gym');
  const request = {
    package: join(out, 'environment'),
    python: gym,
    runtime: join(dirname(oracles), '../lib/python3.13/site-packages'),
    work: folder,
    server: [[gym, '-m', 'server.app', '--port', String(PORT), '--until-stdin-closes'], GRIDSIM, PORT],
    moves,
    rows,
    ...more,
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

async function assertAccepted(out: string, platform = 'linux/amd64'): Promise<void> {
  const validate = ['-m', 'nhx.rl.tasks.environment', '--validate-only', join(out, 'environment')];
  const { stdout } = await execa(oracles, validate, { cwd: '/' });
  expect(JSON.parse(stdout)).toMatchObject({ valid: true });
  await execa(oracles, ['-c', JUDGE, out, platform], { cwd: '/' });
}

const FORMATS = ['native-v1', 'wheels-v1', 'adapter-wheels-v1'] as const;

beforeAll(() => gymgen('demo', root));
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe.skipIf(oracles === '' || !isolated)('gridsim', () => {
  let direct: number[];
  const outOf = (format: string) => join(work, format);

  test.each(FORMATS)('%s is accepted, and the same again', async (format) => {
    const args = ['package', root, 'gridsim_v1', '-o', outOf(format), '--format', format];
    const options = ['--train', 'train', '--validation', 'eval', '--url-is-reachable'];
    await gymgen(...args, ...options);
    await gymgen(...args, ...options, '--check');
    await assertAccepted(outOf(format));
    direct ??= await directRewards(rowsOf(join(outOf(format), 'dataset/training.jsonl')));
  });

  test.each(['wheels-v1', 'native-v1', 'adapter-wheels-v1'] as const)('%s plays without network', async (format) => {
    const rows = rowsOf(join(outOf(format), 'dataset/training.jsonl'));
    const wheels = join(outOf('wheels-v1'), 'environment/wheels');
    const index = format === 'native-v1' ? { offline: false, find_links: wheels } : { offline: true, find_links: null };
    expect(await jobRewards(outOf(format), rows, index)).toEqual(direct);
  });

  test('wheels for arm64 are proven by uv', async () => {
    const out = join(work, 'arm64');
    mkdirSync(out);
    const args = [
      'package',
      root,
      '-o',
      out,
      '--format',
      'wheels-v1',
      '--platform',
      'linux/arm64',
      '--url-is-reachable',
    ];
    await gymgen(...args);
    await assertAccepted(out, 'linux/arm64');
  });
});

describe.skipIf(oracles === '')('a bundle', () => {
  test.each(['native-v1', 'wheels-v1'])('as %s is accepted, and warns of its MCP servers', async (format) => {
    const tools = ending(await bundleFolder('tools-v1'));
    const [bundleRoot, out] = [join(work, `tools-${format}`), join(work, `tools-${format}-out`)];
    const written = await startGymgen([tools.folder, bundleRoot, '--rename-tool', 'stats=statistics'], tools.env);
    expect(written.exitCode, written.stderr).toBe(0);
    const args = ['package', bundleRoot, '-o', out, '--format', format, '--train', 'train', '--validation', 'eval'];
    const packed = await startGymgen(args, { ...toolchainEnv(), ...tools.env });
    expect(packed.exitCode, packed.stderr).toBe(0);
    expect(packed.stderr).toContain('MCP servers on loopback');
    await assertAccepted(out);
    const { exitCode, stdout } = await startGymgen(['validate', join(out, 'environment'), join(out, 'dataset')]);
    expect(stdout.match(/\[[\w-]+\]$/gm) ?? []).toEqual([]);
    expect(exitCode, stdout).toBe(0);
  });
});
