import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { days } from '../../support/served-tasks.js';
import { withoutTime } from '../../support/without-time.js';
import { written } from '../support/written.js';

describe('update', () => {
  test('regenerates, keeps edits, and shows the next steps', async () => {
    const { server, run, edit } = await written();
    edit('README.md', () => 'mine\n');
    server.splits.train = days(5, () => ({ prompt: 'New.' }));
    const { exitCode, stdout, stderr } = await run('update', 'root');
    expect([exitCode, withoutTime(stdout)]).toEqual([0, 'wrote root/resources_servers/grid_v1']);
    expect(stderr).toMatch(/kept README\.md, edited by hand\n[\s\S]*-mine[\s\S]*--theirs[\s\S]*--force/);
    expect(await run('check', 'root')).toMatchObject({ exitCode: 1 });
    expect(await run('update', 'root', '--theirs')).toMatchObject({ exitCode: 0 });
    expect(await run('check', 'root')).toMatchObject({ exitCode: 0 });
    expect(await run('update', 'root', '--theirs', '--force')).toMatchObject({ exitCode: 2 });
  });

  test('a foreign lock file cannot make gymgen read files or send environment variables', async () => {
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
