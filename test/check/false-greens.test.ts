// What a check must not pass over, at every entry point that reads lock files.

import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../support/built-cli.js';
import { gymgenHere } from '../support/cli-here.js';
import { days } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

const SERVERS = 'root/resources_servers';
const FOLDER = `${SERVERS}/grid_v1`;

async function written(tasks = days(3), ...flags: string[]) {
  const server = await StandIn.start({ splits: { train: tasks, eval: days(2) } });
  const cwd = tempFolder();
  const run = (...args: string[]) => gymgenHere(args, { cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } });
  expect((await run(server.url, 'root', ...flags)).exitCode).toBe(0);
  const path = (file: string) => join(cwd, file);
  return { server, cwd, run, path };
}

describe('a second folder that a check cannot compare is named, and the check fails', () => {
  const odd: [string, (path: (file: string) => string) => void, RegExp][] = [
    ['without a lock file', (path) => rmSync(path(`${SERVERS}/other/gymgen.lock.json`)), /no gymgen\.lock\.json/],
    [
      'with a damaged lock file',
      (path) => writeFileSync(path(`${SERVERS}/other/gymgen.lock.json`), '{}'),
      /lock file is damaged/,
    ],
    [
      'with a lock file that is a symlink',
      (path) => {
        renameSync(path(`${SERVERS}/other/gymgen.lock.json`), path('lock.json'));
        symlinkSync(path('lock.json'), path(`${SERVERS}/other/gymgen.lock.json`));
      },
      /lock file is not a regular file/,
    ],
    [
      'that is a symlink',
      (path) => {
        renameSync(path(`${SERVERS}/other`), path('elsewhere'));
        symlinkSync(path('elsewhere'), path(`${SERVERS}/other`));
      },
      /folder is a symlink/,
    ],
    [
      'that is a symlink, and has no lock file',
      (path) => {
        renameSync(path(`${SERVERS}/other`), path('elsewhere'));
        rmSync(path('elsewhere/gymgen.lock.json'));
        symlinkSync('../../elsewhere', path(`${SERVERS}/other`));
      },
      /folder is a symlink/,
    ],
  ];
  test.each(odd)('%s', async (_, damage, reason) => {
    const { run, path } = await written();
    cpSync(path(FOLDER), path(`${SERVERS}/other`), { recursive: true });
    damage(path);
    const check = await run('check', 'root');
    expect(check).toMatchObject({ exitCode: 2, stdout: `same ${FOLDER}\n` });
    expect(check.stderr).toMatch(/^cannot check other$/m);
    expect(check.stderr).toMatch(reason);
    expect(JSON.parse((await run('check', 'root', '--json')).stdout)).toMatchObject({
      status: 'failed',
      folders: [{ name: 'grid_v1', status: 'same' }],
      failures: [{ name: 'other' }],
    });
    expect(await run('check', 'root', '--name', 'grid_v1')).toMatchObject({ exitCode: 0 });
    const only = await run('check', 'root', '--name', 'other');
    expect(only).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(reason) });
    const update = await run('update', 'root');
    expect(update).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(reason) });
  });

  test.each([
    ['of NeMo Gym', (folder: string) => writeFileSync(join(folder, 'app.py'), '')],
    ['that is empty', () => {}],
  ])('not a folder %s, nor a symlink to it, nor a symlink to nothing', async (_, fill) => {
    const { run, path } = await written();
    mkdirSync(path(`${SERVERS}/mine`));
    fill(path(`${SERVERS}/mine`));
    symlinkSync('mine', path(`${SERVERS}/linked`));
    symlinkSync('nowhere', path(`${SERVERS}/broken`));
    expect(await run('check', 'root')).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('what a green check leaves out is named, in text and JSON', () => {
  const folderIn = (stdout: string) => JSON.parse(stdout).folders[0];

  test('files that gymgen did not write, in the folders that it fills', async () => {
    const { run, path } = await written(days(3), '--split', 'train');
    const names = ['data/eval.jsonl', 'openenv_bridge/json.py'];
    const others = ['data/train_prepare.jsonl', 'data/example_rollouts.jsonl', 'data/notes.txt', 'mine.py'];
    for (const name of [...names, ...others]) writeFileSync(path(`${FOLDER}/${name}`), '{}\n');
    mkdirSync(path(`${FOLDER}/openenv_bridge/__pycache__`));
    const { stdout, exitCode } = await run('check', 'root');
    expect([exitCode, stdout.split('\n').slice(1, -1)]).toEqual([
      0,
      names.map((name) => `other   ${name} (gymgen did not write it)`),
    ]);
    expect(folderIn((await run('check', 'root', '--json')).stdout)).toMatchObject({ status: 'same', unlisted: names });
  });

  test('files and prompts that are kept', async () => {
    const { run, path } = await written();
    writeFileSync(path(`${FOLDER}/app.py`), 'import mine\n');
    await run('update', 'root', '--theirs');
    const rows = path(`${FOLDER}/data/train.jsonl`);
    writeFileSync(rows, readFileSync(rows, 'utf8').replace('Day 1.', 'My day.'));
    await run('update', 'root', '--keep-prompts');
    const { stdout, exitCode } = await run('check', 'root');
    expect([exitCode, stdout.split('\n').slice(1, -1)]).toEqual([
      0,
      ['kept    app.py (kept as you edited it)', 'kept    data/train.jsonl (1 edited prompt kept)'],
    ]);
    expect(folderIn((await run('check', 'root', '--json')).stdout).keptFiles).toEqual([
      { path: 'app.py', note: 'kept as you edited it' },
      { path: 'data/train.jsonl', note: '1 edited prompt kept' },
    ]);
  });

  test('how many tasks were probed, if not all were', async () => {
    const sample = await written(days(200));
    expect((await sample.run('check', 'root')).stderr).toBe('  3 of 200 tasks probed for their tools\n');
    expect(folderIn((await sample.run('check', 'root', '--json')).stdout).sample).toEqual({ probed: 3, tasks: 200 });
    const all = await written(days(5));
    expect((await all.run('check', 'root')).stderr).toBe('');
  });
});
