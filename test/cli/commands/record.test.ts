import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCli, tempFolder } from '../../support/built-cli.js';
import { written } from '../support/written.js';

const gymgen = builtCli();

describe('record', () => {
  test('a recording generates the same bytes as its server, and can be used in its place', async () => {
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

  test('a missing recording is not taken for a bundle', async () => {
    expect(await gymgen(['gone.jsonl.gz', 'root'], { cwd: tempFolder() })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('recording not found: gone.jsonl.gz'),
    });
  });
});
