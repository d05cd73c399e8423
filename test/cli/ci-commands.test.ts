import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { days } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

const gymgen = builtCli();

async function written(...flags: string[]) {
  const server = await StandIn.start({ splits: { train: days(5), eval: days(2) } });
  const cwd = tempFolder();
  const run = (...args: string[]) => gymgen(args, { cwd });
  expect(await run(server.url, 'root', ...flags)).toMatchObject({ exitCode: 0 });
  const folder = join(cwd, 'root/resources_servers/grid_v1');
  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')));
  return { server, cwd, run, edit, folder };
}

describe('check', () => {
  test('exits 0 when all is as it would be, 1 when not, 2 when it can not tell', async () => {
    const { server, run, edit } = await written();
    expect(await run('check', server.url, 'root')).toMatchObject({
      exitCode: 0,
      stdout: 'same root/resources_servers/grid_v1',
    });
    edit('app.py', (text) => `${text}# mine\n`);
    const differs = await run('check', server.url, 'root');
    expect(differs).toMatchObject({ exitCode: 1, stderr: '' });
    expect(differs.stdout).toMatch(/^differs root\/resources_servers\/grid_v1\nedited {2}app\.py\n[\s\S]*-# mine$/);
    expect(await run('check', 'http://127.0.0.1:9', 'root')).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('of a root alone takes source and options from the lock files', async () => {
    const { run, folder } = await written('--split', 'train', '--limit', '3', '--max-steps', '4');
    expect(await run('check', 'root')).toMatchObject({ exitCode: 0 });
    expect(await run('check', 'root', '--split', 'train')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('the lock file decides these options: split'),
    });
    const lock = join(folder, 'gymgen.lock.json');
    writeFileSync(lock, readFileSync(lock, 'utf8').replace(/"source": ".*"/, '"source": "http://127.0.0.1:9"'));
    expect(await run('check', 'root')).toMatchObject({ exitCode: 2 });
    expect(await run('check', 'nowhere')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('nothing in') });
  });

  test('--json is one document, --github has a command for each file, and --diff of write is the same plan', async () => {
    const { server, run, edit } = await written();
    edit('data/train.jsonl', (text) => text.replace('Day 3.', 'Day 33.'));
    const { exitCode, stdout } = await run('check', server.url, 'root', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'differs',
      folders: [{ name: 'grid_v1', differences: [{ path: 'data/train.jsonl', state: 'edited', rows: { moved: 0 } }] }],
    });
    const github = await run('check', server.url, 'root', '--github');
    expect(github.stdout).toMatch(/^::error file=root\/resources_servers\/grid_v1\/data\/train\.jsonl,line=4,/m);
    const diff = await run(server.url, 'root', '--diff');
    expect(diff).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('+ "Day 3."') });
  });

  test('goes on past a folder that it can not tell of, and exits 2', async () => {
    const { server, run, cwd } = await written();
    const other = await StandIn.start({ name: 'other-v1' });
    await run(other.url, 'root');
    const lock = join(cwd, 'root/resources_servers/grid_v1/gymgen.lock.json');
    writeFileSync(lock, readFileSync(lock, 'utf8').replace(server.url, 'http://127.0.0.1:9'));
    const { exitCode, stdout, stderr } = await run('check', 'root');
    expect([exitCode, stdout]).toEqual([2, 'same root/resources_servers/other_v1']);
    expect(stderr).toContain('cannot check grid_v1');
  });
});

describe('record', () => {
  test('a recording gives the same bytes as its server, and stands in for it', async () => {
    const { server, run, folder, cwd } = await written();
    expect(await run('record', server.url, 'grid.jsonl.gz')).toMatchObject({
      exitCode: 0,
      stdout: 'recorded grid.jsonl.gz',
    });
    await server.stop();
    expect(await run('check', 'grid.jsonl.gz', 'root')).toMatchObject({ exitCode: 0 });
    expect(await run('check', 'root', '--source', 'grid.jsonl.gz')).toMatchObject({ exitCode: 0 });
    expect(await run('grid.jsonl.gz', 'other')).toMatchObject({ exitCode: 0 });
    const lock = (root: string) => readFileSync(join(cwd, root, 'resources_servers/grid_v1/gymgen.lock.json'), 'utf8');
    expect(lock('other')).toBe(lock('root'));
    expect(folder).toBeTruthy();
  });

  test('one that is not there is not taken for a bundle', async () => {
    expect(await gymgen(['gone.jsonl.gz', 'root'], { cwd: tempFolder() })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('there is no recording gone.jsonl.gz'),
    });
  });
});

describe('update', () => {
  test('writes again, leaves edits, and says how to go on', async () => {
    const { server, run, edit } = await written();
    edit('README.md', () => 'mine\n');
    server.splits.train = days(5, () => ({ prompt: 'New.' }));
    const { exitCode, stdout, stderr } = await run('update', 'root');
    expect([exitCode, stdout]).toEqual([0, 'wrote root/resources_servers/grid_v1']);
    expect(stderr).toMatch(/kept README\.md, edited by hand\n[\s\S]*-mine[\s\S]*--theirs[\s\S]*--force/);
    expect(await run('check', 'root')).toMatchObject({ exitCode: 1 });
    expect(await run('update', 'root', '--theirs')).toMatchObject({ exitCode: 0 });
    expect(await run('check', 'root')).toMatchObject({ exitCode: 0 });
    expect(await run('update', 'root', '--theirs', '--force')).toMatchObject({ exitCode: 2 });
  });

  test('a lock file of someone else reads no file, and sends no variable of the environment', async () => {
    const { server, run, folder } = await written();
    const lock = join(folder, 'gymgen.lock.json');
    const text = readFileSync(lock, 'utf8');
    const withOptions = (options: object) =>
      writeFileSync(lock, text.replace('"options": {}', `"options": ${JSON.stringify(options)}`));
    for (const options of [{ appendSystemPrompt: '@secret' }, { toolDoc: '@secret' }, { tasks: '/etc/x.csv' }]) {
      withOptions(options);
      expect(await run('update', 'root')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(/names a .*file/),
      });
    }
    withOptions({ headerEnv: ['X-Token=$HOME'] });
    expect(await run('update', 'root')).toMatchObject({ exitCode: 0 });
    expect(server.asked.filter(({ headers }) => 'x-token' in headers)).toEqual([]);
    expect(readFileSync(join(folder, 'configs/grid_v1.yaml'), 'utf8')).toContain('$HOME');
    const named = ['--source', server.url, '--header-env', 'X-Token=$HOME'];
    expect(await run('check', 'root', ...named)).toMatchObject({ exitCode: 0 });
    expect(server.asked.some(({ headers }) => 'x-token' in headers)).toBe(true);
  });
});
