import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { StandIn } from '../support/stand-in.js';

const gymgen = builtCli();

/** A recording of `server`, in its own folder. */
async function recorded(server?: object) {
  const cwd = tempFolder();
  const run = (...args: string[]) => gymgen(args, { cwd, env: { TOKEN: 'secret' } });
  const standIn = await StandIn.start();
  expect(await run('record', standIn.url, 'a.jsonl')).toMatchObject({ exitCode: 0 });
  const file = join(cwd, 'a.jsonl');
  const said = JSON.stringify({ url: standIn.url });
  const text = readFileSync(file, 'utf8').replace(/,"sha256":"\w+"/, '');
  if (server) writeFileSync(file, text.replace(said, JSON.stringify(server)));
  return { run, cwd, url: standIn.url };
}

const config = (cwd: string) => readFileSync(join(cwd, 'root/resources_servers/grid_v1/configs/grid_v1.yaml'), 'utf8');
const EVIL = { bundle: '/tmp/evil', framework: '0.1' };

test('the URL of a recording is shown, but not one of the command line', async () => {
  const { run, cwd, url } = await recorded();
  expect((await run('a.jsonl', 'root')).stderr).toContain(`url ${url} (from the recording)`);
  expect((await run('check', 'a.jsonl', 'root')).stderr).toContain(`url ${url} (from the recording)`);
  const batch = await run('batch', '--source', 'a.jsonl', '--root', 'root');
  expect(batch.stderr).toContain(`url ${url} (from the recording)`);
  const named = await run('a.jsonl', 'root', '--config-url', 'http://h:1');
  expect(named.exitCode).toBe(0);
  expect(named.stderr).not.toContain('from the recording');
  expect(config(cwd)).toContain('url: "http://h:1"');
});

test('a bundle of a recording is refused before anything is written, unless the recording is trusted', async () => {
  const { run, cwd } = await recorded(EVIL);
  for (const how of [
    ['a.jsonl', 'root'],
    ['a.jsonl', 'root', '--dry-run'],
  ]) {
    const { exitCode, stderr } = await run(...how);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('bundle /tmp/evil, AgentEnv 0.1 (from the recording)');
    expect(stderr).toMatch(/fix: if you trust the recording, add --trust-recording/);
    expect(existsSync(join(cwd, 'root'))).toBe(false);
  }
  expect(await run('inspect', 'a.jsonl')).toMatchObject({ exitCode: 0 });
  expect(await run('a.jsonl', 'root', '--trust-recording')).toMatchObject({ exitCode: 0 });
  expect(config(cwd)).toContain('bundle: "/tmp/evil"');
});

test('the lock file does not keep --trust-recording, and update accepts it', async () => {
  const { run, cwd } = await recorded(EVIL);
  await run('a.jsonl', 'root', '--trust-recording');
  const lock = join(cwd, 'root/resources_servers/grid_v1/gymgen.lock.json');
  const text = readFileSync(lock, 'utf8');
  expect(text).not.toMatch(/trust/i);
  const { options, ...rest } = JSON.parse(text);
  writeFileSync(lock, JSON.stringify({ ...rest, options: { ...options, trustRecording: true } }));
  expect((await run('update', 'root', '--source', 'a.jsonl')).stderr).toContain('lock file has invalid options');
  writeFileSync(lock, text);
  expect(await run('update', 'root', '--source', 'a.jsonl')).toMatchObject({ exitCode: 2 });
  expect(await run('update', 'root', '--source', 'a.jsonl', '--trust-recording')).toMatchObject({ exitCode: 0 });
  expect(await run('check', 'root', '--source', 'a.jsonl', '--trust-recording')).toMatchObject({ exitCode: 0 });
});

describe('a folder that was written from a recording', () => {
  test('is checked and updated from the recording, until it is written from its server', async () => {
    const { run, url } = await recorded();
    await run('a.jsonl', 'root', '--config-url', 'http://127.0.0.1:9');
    for (const command of ['check', 'update']) {
      const { exitCode, stderr } = await run(command, 'root');
      expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^reading .*a\.jsonl, from which this folder was/)]);
    }
    expect(await run('update', 'root', '--source', url)).toMatchObject({ exitCode: 0 });
    expect((await run('check', 'root')).stderr).toContain('127.0.0.1:9');
  });

  test('names a missing recording, and how to continue', async () => {
    const { run, cwd, url } = await recorded();
    await run('a.jsonl', 'root');
    renameSync(join(cwd, 'a.jsonl'), join(cwd, 'b.jsonl'));
    const { exitCode, stderr } = await run('update', 'root');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: the recording of this folder was not found\n/);
    expect(stderr).toContain(`update root --source ${url}`);
    expect(await run('update', 'root', '--source', 'b.jsonl')).toMatchObject({ exitCode: 0 });
    expect(await run('check', 'root')).toMatchObject({ exitCode: 0 });
  });

  test('is not read from the recording for another user, for whom only the lock file counts', async () => {
    const { run, cwd } = await recorded();
    await run('a.jsonl', 'root');
    const foreign = await gymgen(['check', 'root'], { cwd, env: { XDG_STATE_HOME: tempFolder() } });
    expect(foreign).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('keeps its options with update, without naming the recording', async () => {
    const { run } = await recorded();
    await run('a.jsonl', 'root', '--append-system-prompt', 'Be brief.');
    expect((await run('a.jsonl', 'root', '--dry-run')).stderr).toMatch(/keep it with: \S+ \S+ update root$/m);
  });
});

test('a header is not sent to a URL that only a recording names', async () => {
  const { run, cwd } = await recorded({ url: 'http://evil.example' });
  const header = ['--header-env', 'Authorization=Bearer $TOKEN'];
  const { exitCode, stderr } = await run('a.jsonl', 'root', ...header);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--config-url');
  expect(stderr).not.toContain('secret');
  expect(existsSync(join(cwd, 'root'))).toBe(false);
  expect(await run('a.jsonl', 'root', ...header, '--config-url', 'http://h:1')).toMatchObject({ exitCode: 0 });
  expect(config(cwd)).not.toContain('evil');
});
