import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCli, tempFolder } from '../../support/built-cli.js';
import { days, tool } from '../../support/served-tasks.js';
import { StandIn } from '../../support/stand-in.js';
import { withoutTime } from '../../support/without-time.js';
import { written } from '../support/written.js';

const gymgen = builtCli();

describe('the closing block', () => {
  test('is shown after the first write only', async () => {
    const server = await StandIn.start({ splits: { train: days(5) } });
    const cwd = tempFolder();
    const run = (...args: string[]) => gymgen([server.url, 'root', ...args], { cwd });
    expect(await run('--dry-run')).toMatchObject({ stderr: '' });
    expect((await run()).stderr).toMatch(/\n\nnext, without a model:\n(?: .*\n)+with a model: see README.md /);
    expect(await run()).toMatchObject({ stdout: 'unchanged root/resources_servers/grid_v1', stderr: '' });
    expect((await run('--limit', '4')).stderr).not.toContain('next');
  });

  test('is not shown with --json', async () => {
    const server = await StandIn.start();
    const { stderr } = await gymgen([server.url, 'root', '--json'], { cwd: tempFolder() });
    expect(stderr).not.toContain('next');
  });
});

describe('the datasets', () => {
  test('are the usual splits, which the report names', async () => {
    const server = await StandIn.start({ splits: { all: days(3), train: days(2), test: days(1) } });
    const { stderr } = await gymgen([server.url, 'root'], { cwd: tempFolder() });
    expect(stderr).toContain('  datasets: train = train, validation = test (license TBD)\n');
    const { stdout } = await gymgen([server.url, 'root', '--json', '--license', 'MIT'], { cwd: tempFolder() });
    const { datasets } = JSON.parse(stdout);
    expect(datasets).toEqual({ train: 'train', validation: 'test', license: 'MIT', examples: false });
  });

  test('may be missing, which the report says unless --datasets is none', async () => {
    const server = await StandIn.start({ splits: { all: days(3) } });
    const { stderr } = await gymgen([server.url, 'root'], { cwd: tempFolder() });
    expect(stderr).toContain('  no datasets: to choose splits for gym eval run --split, pass --datasets\n');
    const none = await gymgen([server.url, 'root', '--datasets', 'none'], { cwd: tempFolder() });
    expect(none.stderr).not.toContain('datasets');
  });
});

test('toolsets with the same tools are counted', async () => {
  const splits = { train: days(6, (at) => ({ toolset: `t${at}` })) };
  const turns = ({ toolset }: { toolset?: unknown }) => [[tool(String(toolset) === 't5' ? 'b' : 'a')]];
  const server = await StandIn.start({ splits, turns });
  const one = await gymgen([server.url, 'root', '--limit', '3'], { cwd: tempFolder() });
  expect(one.stderr).toContain('  3 toolsets with the same tools: a\n');
  const all = await gymgen([server.url, 'root'], { cwd: tempFolder() });
  expect(all.stderr).toContain('  6 toolsets: a (5 toolsets) | b\n');
  const inspected = await gymgen(['inspect', server.url]);
  expect(inspected.stdout).toMatch(/^5 toolsets with the same tools \(toolset:t0 and 4 more\): 1 tool$/m);
});

describe('a rewrite', () => {
  test('names the options that it drops, before it writes, and how to keep them', async () => {
    const { server, run, folder } = await written('--append-system-prompt', 'Be brief.', '--limit', '4');
    const prompts = () => readFileSync(join(folder, 'data/train.jsonl'), 'utf8');
    const strict = await run(server.url, 'root', '--strict');
    expect(strict.exitCode).toBe(1);
    expect(strict.stderr).toMatch(
      /^warning: --append-system-prompt 'Be brief\.': is dropped, .*; keep it with: node .* update root$/m,
    );
    expect(prompts()).toContain('Be brief.');
    const { stdout } = await run(server.url, 'root', '--json');
    const codes = JSON.parse(stdout).warnings.map(({ code, subject }: Record<string, string>) => [code, subject]);
    expect(codes).toEqual([
      ['option-dropped', '--limit 4'],
      ['option-dropped', "--append-system-prompt 'Be brief.'"],
    ]);
    expect(prompts()).not.toContain('Be brief.');
  });

  test('with other options says to pass the dropped ones again', async () => {
    const { server, run } = await written('--append-system-prompt', 'Be brief.');
    const { stderr } = await run(server.url, 'root', '--limit', '4', '--dry-run');
    expect(stderr).toMatch(/is dropped, .*; pass it again to keep it$/m);
  });

  test('by update drops nothing', async () => {
    const { run } = await written('--append-system-prompt', 'Be brief.');
    expect(await run('update', 'root')).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('says which command keeps the options of another server', async () => {
    const { run } = await written('--limit', '4');
    const other = await StandIn.start({ splits: { train: days(5), eval: days(2) } });
    const { stderr } = await run(other.url, 'root', '--dry-run');
    expect(stderr).toContain(`update root --source ${other.url}`);
  });

  test('names the headers that update has to send, without their values', async () => {
    const { server, run } = await written('--limit', '4');
    const { stderr } = await run(server.url, 'root', '--dry-run', '--header', 'Authorization: secret');
    expect(stderr).toContain(`update root --source ${server.url} --header 'Authorization: …'`);
    expect(stderr).not.toContain('secret');
  });

  test('does not count the URL of the server as dropped if the source has the same URL', async () => {
    const server = await StandIn.start();
    const cwd = tempFolder();
    await gymgen([server.url, 'root', '--config-url', server.url], { cwd });
    expect(await gymgen([server.url, 'root', '--dry-run'], { cwd })).toMatchObject({ stderr: '' });
  });

  test('says if the rows of a split change by more than half', async () => {
    const { server, run } = await written();
    server.splits.train = days(8);
    expect((await run(server.url, 'root')).stderr).toContain(
      "warning: 'data/train.jsonl': has 8 rows instead of 5 [row-count]",
    );
    server.splits.train = days(12);
    expect((await run('update', 'root')).stderr).not.toContain('row-count');
    const { stderr } = await run(server.url, 'root', '--split', 'train');
    expect(stderr).toContain("'data/eval.jsonl': has no rows instead of 2");
  });
});

test('update --dry-run shows what would change, and writes nothing', async () => {
  const { server, run, folder } = await written();
  server.splits.train = days(6);
  const before = readFileSync(join(folder, 'data/train.jsonl'), 'utf8');
  const { stdout, exitCode } = await run('update', 'root', '--dry-run');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^would write root\/resources_servers\/grid_v1\nupdate {2}README.md\nupdate {2}data\/train/);
  const [planned] = JSON.parse((await run('update', 'root', '--dry-run', '--json')).stdout).folders;
  expect(planned).toMatchObject({ status: 'planned', rows: expect.arrayContaining([{ split: 'train', rows: 6 }]) });
  expect(planned.plan).toContainEqual({ path: 'data/train.jsonl', state: 'update' });
  expect(readFileSync(join(folder, 'data/train.jsonl'), 'utf8')).toBe(before);
  expect(withoutTime((await run('update', 'root')).stdout)).toBe('wrote root/resources_servers/grid_v1');
  expect(await run('update', 'root', '--dry-run')).toMatchObject({
    stdout: 'unchanged root/resources_servers/grid_v1',
  });
  expect(existsSync(join(folder, '../../.gymgen'))).toBe(false);
});

test('check --quiet prints states only', async () => {
  const { run, edit } = await written();
  expect(await run('check', 'root', '--quiet')).toMatchObject({ stdout: 'same root/resources_servers/grid_v1' });
  edit('app.py', (text) => `${text}# mine\n`);
  expect(await run('check', 'root', '--quiet')).toMatchObject({
    stdout: 'differs root/resources_servers/grid_v1\nedited  app.py',
    stderr: '',
  });
});
