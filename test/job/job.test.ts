// Packages with real wheels: judged by NeMo Platform's own checkers, and played by the host script of a job.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGymgen } from '../e2e/support/gymgen.js';
import { endings } from '../e2e/support/processes.js';
import { playDirectly } from '../e2e/support/run-python.js';
import { gridsim } from '../e2e/support/servers.js';
import { python, REPOSITORY, toolchainEnv } from '../e2e/support/toolchain.js';
import { movesOn } from '../e2e/support/trader.js';
import { FIXTURES } from '../validate/support.js';
import { assertAccepted, gymgen, isolated, jobRewards, oracles, promptOf, type Row, rowsOf } from './support.js';

const PORT = 8000;

const work = mkdtempSync(join(tmpdir(), 'gymgen-job-'));
const root = join(work, 'root');
const ending = endings();

const movesOf = (row: Row) => movesOn(promptOf(row));

/** The rewards of the same moves with the real openenv client, without NeMo Gym. */
async function directRewards(rows: Row[]): Promise<(number | null)[]> {
  const { url } = ending(await gridsim());
  const episodes = rows.map((row) => {
    const { split, index } = row.info ?? row;
    return { split, index, moves: movesOf(row) };
  });
  return (await playDirectly(url, episodes)).map(({ reward }) => reward);
}

const FORMATS = ['native-v1', 'wheels-v1', 'adapter-wheels-v1'] as const;

/** The settings of NeMo RL's project, which the first install of a job obeys. */
const POLICY = ['--uv-policy', join(FIXTURES, 'nemo-rl.toml')];

beforeAll(() => gymgen(['demo', root]));
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe.skipIf(oracles === '' || !isolated)('gridsim', () => {
  let direct: (number | null)[];
  const outOf = (format: string) => join(work, format);

  test.each(FORMATS)('%s is accepted, and the same again', async (format) => {
    const args = ['package', root, 'gridsim_v1', '-o', outOf(format), '--format', format];
    const policy = format === 'native-v1' ? [] : POLICY;
    const options = ['--train', 'train', '--validation', 'eval', '--url-is-reachable', ...policy];
    await gymgen([...args, ...options]);
    await gymgen([...args, ...options, '--check']);
    await assertAccepted(outOf(format));
    direct ??= await directRewards(rowsOf(join(outOf(format), 'dataset/training.jsonl')));
  });

  test.each(['wheels-v1', 'native-v1', 'adapter-wheels-v1'] as const)('%s plays without network', async (format) => {
    const gym = await python('gym');
    const server = [gym, '-m', 'server.app', '--port', String(PORT), '--until-stdin-closes'];
    const rewards = await jobRewards({
      out: outOf(format),
      work,
      rows: rowsOf(join(outOf(format), 'dataset/training.jsonl')),
      moves: movesOf,
      servers: [[server, join(REPOSITORY, 'fixtures/gridsim'), PORT]],
      ...(format === 'native-v1' && { index: join(outOf('wheels-v1'), 'environment/wheels') }),
    });
    expect(rewards).toEqual(direct);
  });

  test('a version that the settings of NeMo RL exclude is refused', async () => {
    const args = ['package', root, '-o', outOf('excluded'), '--format', 'wheels-v1', '--url-is-reachable', ...POLICY];
    const { exitCode, stderr } = await startGymgen([...args, '--pin', 'urllib3==2.6.3'], toolchainEnv());
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('urllib3>=2.7.0')]);
  });

  test('wheels for arm64 are proven by uv', async () => {
    const out = join(work, 'arm64');
    mkdirSync(out);
    const args = ['package', root, '-o', out, '--format', 'wheels-v1', '--platform', 'linux/arm64'];
    await gymgen([...args, '--url-is-reachable', ...POLICY]);
    await assertAccepted(out, 'linux/arm64');
  });
});
