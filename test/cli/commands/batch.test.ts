import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCli, tempFolder } from '../../support/built-cli.js';
import { StandIn } from '../../support/stand-in.js';

const gymgen = builtCli();

function put(folder: string, file: string, text: string): void {
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), text);
}

describe('a batch file', () => {
  test('has options for all sources and for each, and paths relative to its own folder', async () => {
    const server = await StandIn.start();
    const cwd = tempFolder();
    await gymgen(['record', server.url, 'sub/other.jsonl'], { cwd });
    put(cwd, 'sub/prompt.txt', 'Be brief.');
    put(
      cwd,
      'sub/batch.yaml',
      `root: gym
defaults: { limit: 2, append-system-prompt: '@prompt.txt' }
sources:
  - ${server.url}
  - source: other.jsonl
    name: other
    limit: 1
    split: train
`,
    );
    const { exitCode, stdout } = await gymgen(['batch', 'sub/batch.yaml'], { cwd });
    expect([exitCode, stdout]).toEqual([
      0,
      'wrote  grid_v1  2 rows, 1 toolset\nwrote  other    1 row, 1 toolset\n2 wrote',
    ]);
    expect(readdirSync(join(cwd, 'sub/gym/resources_servers'))).toEqual(['grid_v1', 'other']);
    const again = await gymgen(['batch', 'sub/batch.yaml', '--check', '--json'], { cwd });
    expect(JSON.parse(again.stdout).jobs).toMatchObject([{ status: 'same' }, { status: 'same', rows: 1 }]);
  });

  test('is refused with the line and column of each mistake', async () => {
    const cwd = tempFolder();
    put(cwd, 'b.yaml', 'root: x\ndefaults: { limt: 3 }\nsources:\n  - a\n  - source: b\n    split: {a: 1}\n  - 3\n');
    const { exitCode, stderr } = await gymgen(['batch', 'b.yaml'], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('b.yaml:2:13: unknown option limt');
    expect(stderr).toContain('b.yaml:6:12: split: must be a value, or a list of values');
    expect(stderr).toContain('b.yaml:7:5: 2: must be a source, or a map with a source');
    put(cwd, 'b.yaml', 'root: x\nsources: [{ source: a, limit: 0 }]\n');
    const value = await gymgen(['batch', 'b.yaml'], { cwd });
    expect(value.stderr).toMatch(/--limit must be 1 or more\n {2}at: {2}b\.yaml:2:11/);
    put(cwd, 'b.yaml', 'root: [\n');
    expect((await gymgen(['batch', 'b.yaml'], { cwd })).stderr).toMatch(/b\.yaml:\d:\d: /);
    expect((await gymgen(['batch', 'none.yaml'], { cwd })).stderr).toContain('cannot read the batch file');
    expect(existsSync(join(cwd, 'x'))).toBe(false);
  });
});

test('sources come from options or standard input; after a failure, the exit code is 1', async () => {
  const server = await StandIn.start();
  const cwd = tempFolder();
  const input = `# a list\n${server.url}\n\nhttp://127.0.0.1:9\n`;
  const { exitCode, stdout, stderr } = await gymgen(['batch', '-', '--root', 'r', '--retries', '0'], { cwd, input });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^wrote {3}grid_v1 .*\nfailed {2}http:\/\/127\.0\.0\.1:9 +connection refused/);
  expect(stdout).toMatch(/ {2}fix: start the server[\s\S]*1 wrote, 1 failed$/);
  expect(stderr).toContain('failed http://127.0.0.1:9: connection refused');
  const one = await gymgen(['batch', '--source', server.url, '--root', 'r'], { cwd });
  expect(one).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('unchanged') });
});

test.each<[string[], RegExp]>([
  [[], /batch needs a file/],
  [['-', '--source', 'x', '--root', 'r'], /batch needs a file/],
  [['--source', 'x'], /missing Gym root/],
  [['--source', 'x', '--root', 'r', '--concurrency', '0'], /--concurrency must be 1 or more/],
])('batch %j: exit 2', async (args, told) => {
  const { exitCode, stdout, stderr } = await gymgen(['batch', ...args], { cwd: tempFolder(), input: '' });
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(told);
});
