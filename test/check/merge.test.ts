// Two branches that each regenerated: what git says, what gymgen says, and two commands to a clean check.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../support/built-cli.js';
import { gymgenHere } from '../support/cli-here.js';
import { days, type ServedTask } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

const FOLDER = 'root/resources_servers/grid_v1';
const LOCK = `${FOLDER}/gymgen.lock.json`;

/** A repository with a Gym root, in which two branches regenerated after different changes of the source. */
async function merged(one: (number: number) => ServedTask, other: (number: number) => ServedTask) {
  const server = await StandIn.start({ splits: { train: days(200) } });
  const cwd = tempFolder();
  const git = (...args: string[]) => {
    const user = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'init.defaultBranch=main'];
    const options = { cwd, encoding: 'utf8', env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } } as const;
    try {
      return execFileSync('git', [...user, ...args], { ...options, stdio: 'pipe' });
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };
  const run = (...args: string[]) => gymgenHere(args, { cwd, env: { XDG_STATE_HOME: join(cwd, '.git/state') } });
  const regenerate = async (branch: string, changes: (number: number) => ServedTask) => {
    git('checkout', '-q', '-b', branch, 'main');
    server.splits.train = days(200, changes);
    expect((await run('update', 'root')).exitCode).toBe(0);
    git('commit', '-qam', branch);
  };
  git('init', '-q');
  await run(server.url, 'root');
  git('add', '-A');
  git('commit', '-qm', 'base');
  await regenerate('one', one);
  await regenerate('other', other);
  const said = git('merge', 'one');
  server.splits.train = days(200, (number) => ({ ...one(number), ...other(number) }));
  return { run, git, said, read: (file: string) => readFileSync(join(cwd, file), 'utf8') };
}

const at = (index: number, prompt: string) => (number: number) => (number === index ? { prompt } : {});

describe.each(['--ours', '--theirs'])('with %s of the lock file', (side) => {
  test('rows changed at different places: git merges the rows, and update completes the lock file', async () => {
    const { run, git, said, read } = await merged(at(3, 'One.'), at(150, 'Other.'));
    expect(said.match(/^CONFLICT .*$/gm)).toEqual([`CONFLICT (content): Merge conflict in ${LOCK}`]);
    expect(read(LOCK).match(/^<{7}/gm)).toHaveLength(1); // the hash of the rows: prompts have lines of their own
    const { exitCode, stderr } = await run('check', 'root');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('unresolved merge conflicts')]);
    expect(stderr).toContain(`git checkout --ours -- ${LOCK}`);
    git('checkout', side, '--', LOCK);
    expect((await run('update', 'root')).exitCode).toBe(0);
    expect(await run('check', 'root')).toMatchObject({ exitCode: 0, stdout: `same ${FOLDER}\n` });
  });

  test('the same rows changed: either side of the whole folder', async () => {
    const { run, git, said } = await merged(at(3, 'One.'), at(3, 'Other.'));
    expect(said).toContain(`Merge conflict in ${FOLDER}/data/train.jsonl`);
    git('checkout', side, '--', FOLDER);
    expect((await run('update', 'root')).exitCode).toBe(0);
    expect(await run('check', 'root')).toMatchObject({ exitCode: 0 });
  });
});
