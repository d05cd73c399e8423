import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StandIn } from '../../support/stand-in.js';
import { written } from '../support/written.js';

describe('check', () => {
  test('exits with 0 if nothing differs, 1 if something does, 2 if it cannot compare', async () => {
    const { server, run, edit } = await written();
    expect(await run('check', server.url, 'root')).toMatchObject({
      exitCode: 0,
      stdout: 'same root/resources_servers/grid_v1',
    });
    edit('app.py', (text) => `${text}# mine\n`);
    const differs = await run('check', server.url, 'root');
    expect(differs).toMatchObject({ exitCode: 1, stderr: '' });
    expect(differs.stdout).toMatch(
      /^differs root\/resources_servers\/grid_v1\n- in the folder .*\nedited {2}app\.py\n[\s\S]*-# mine$/,
    );
    expect(await run('check', 'http://127.0.0.1:9', 'root')).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('without a source takes source and options from the lock files', async () => {
    const { run, folder } = await written('--split', 'train', '--limit', '3', '--max-steps', '4');
    expect(await run('check', 'root')).toMatchObject({ exitCode: 0 });
    expect(await run('check', 'root', '--split', 'train')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('the lock file sets these options: --split'),
    });
    const lock = join(folder, 'gymgen.lock.json');
    writeFileSync(lock, readFileSync(lock, 'utf8').replace(/"source": ".*"/, '"source": "http://127.0.0.1:9"'));
    expect(await run('check', 'root')).toMatchObject({ exitCode: 2 });
    expect(await run('check', 'nowhere')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no folder in this Gym root'),
    });
  });

  test('--json prints one document, --github an annotation per file, and write --diff the same plan', async () => {
    const { server, run, edit } = await written();
    edit('data/train.jsonl', (text) => text.replace('Day 3.', 'Day 33.'));
    const { exitCode, stdout } = await run('check', server.url, 'root', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'differs',
      folders: [
        {
          name: 'grid_v1',
          differences: [{ path: 'data/train.jsonl', state: 'edited', rows: { moved: { count: 0 } } }],
        },
      ],
    });
    const github = await run('check', server.url, 'root', '--github');
    expect(github.stdout).toMatch(/^::error file=root\/resources_servers\/grid_v1\/data\/train\.jsonl,line=4,/m);
    const diff = await run(server.url, 'root', '--diff');
    expect(diff).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('+ "Day 3."') });
  });

  test('continues if it cannot compare a folder, and exits with 2', async () => {
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
