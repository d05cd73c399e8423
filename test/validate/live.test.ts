import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { gymgenHere } from '../support/cli-here.js';
import { StandIn } from '../support/stand-in.js';
import { judged, linesOf, tempFolder, withToolchain } from './support.js';

beforeAll(withToolchain);
afterAll(() => void vi.unstubAllEnvs());

test('--live finds rows whose split, task or tool the server does not have any more', async () => {
  const server = await StandIn.start();
  const root = join(tempFolder(), 'root');
  const written = await gymgenHere([server.url, root, '--name', 'live'], { cwd: tempFolder() });
  expect(written.exitCode, written.stderr).toBe(0);
  withToolchain();
  const clean = await judged(root, { live: true });
  expect([linesOf(clean), clean.notJudged]).toEqual([[], []]);

  const { file } = clean.rows.find(({ rows }) => rows >= 3) ?? { file: '' };
  const lines = readFileSync(join(root, file), 'utf8').trimEnd().split('\n');
  const change = (at: number, edit: (row: Record<string, unknown>) => void) => {
    const row = JSON.parse(lines[at] as string);
    edit(row);
    lines[at] = JSON.stringify(row);
  };
  change(0, (row) => Object.assign(row, { split: 'gone' }));
  change(1, (row) => Object.assign(row, { task_id: 'another' }));
  change(2, (row) => Object.assign(row, { index: 1_000_000 }));
  writeFileSync(join(root, file), `${lines.join('\n')}\n`);
  expect(linesOf(await judged(root))).toEqual([]);
  expect(linesOf(await judged(root, { live: true }))).toEqual([
    `error live-split ${file}:1`,
    `error live-task ${file}:2`,
    `error live-task ${file}:3`,
  ]);

  await server.stop();
  const unreachable = await judged(root, { live: true });
  expect(linesOf(unreachable)).toEqual(['error live-unreachable ']);
});

test('--live sends the headers of --header', async () => {
  const http = ({ headers }: { headers: Record<string, unknown> }) =>
    headers.authorization === 'Bearer secret' ? undefined : { status: 401 };
  const server = await StandIn.start({ http });
  const folder = tempFolder();
  const header = ['--header', 'Authorization: Bearer secret'];
  const written = await gymgenHere([server.url, 'root', ...header], { cwd: folder });
  expect(written.exitCode, written.stderr).toBe(0);
  withToolchain();
  const refused = await gymgenHere(['validate', 'root', '--live'], { cwd: folder });
  expect([refused.exitCode, refused.stdout]).toEqual([1, expect.stringContaining('[live-unreachable]')]);
  const asked = await gymgenHere(['validate', 'root', '--live', ...header], { cwd: folder });
  expect([asked.exitCode, asked.stdout], asked.stderr).toEqual([0, expect.stringContaining('valid Gym root root')]);
  await server.stop();
});
