import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { serverWithoutTasks } from '../support/provided.js';
import { days } from '../support/served-tasks.js';
import { type Asked, StandIn } from '../support/stand-in.js';

const gymgen = builtCli();
const FOLDER = 'root/resources_servers/grid_v1';

/** A folder in which gymgen runs, with its own state folder, and a Gym root that was written from a server. */
async function checkout(...flags: string[]) {
  const server = await StandIn.start({ splits: { train: days(3) } });
  const place = placed();
  expect(await place.run(server.url, 'root', ...flags)).toMatchObject({ exitCode: 0 });
  return { server, ...place };
}

function placed(cwd = tempFolder(), state = tempFolder()) {
  const run = (...args: string[]) => gymgen(args, { cwd, env: { XDG_STATE_HOME: state } });
  const lock = join(cwd, FOLDER, 'gymgen.lock.json');
  const setLock = (changes: Record<string, unknown>) => {
    const text = readFileSync(lock, 'utf8');
    writeFileSync(lock, `${JSON.stringify({ ...JSON.parse(text), ...changes }, null, 2)}\n`);
  };
  return { cwd, run, lock, setLock };
}

describe('options of a lock file', () => {
  test.each([
    { python: '/bin/false' },
    { header: ['A: b'] },
    { sandbox: 'docker' },
    { absolute: true },
    { force: true },
    { dryRun: true },
    { name: 'other' },
    { source: 'http://h' },
    { idleTimeOut: '5' },
    { limit: 3 },
    { limit: '-1' },
    { limit: [[[[]]]] },
    { split: 'train' },
    { headerEnv: ['no pair'] },
    { prompt: '@secret' },
    { episodes: { valueOf: 1 } },
  ])('are a closed list with the values of the command line: check and update refuse %j', async (options) => {
    const { server, run, setLock } = await checkout();
    setLock({ options });
    const asked = server.asked.length;
    for (const command of ['check', 'update']) {
      const { exitCode, stderr } = await run(command, 'root');
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('lock file has invalid options')]);
      expect(stderr).toContain(Object.keys(options)[0]);
      expect(stderr).toContain('fix: remove them from the lock file');
    }
    expect(server.asked.length).toBe(asked);
  });

  test('are checked quickly, even if there are many', async () => {
    const { run, setLock } = await checkout();
    const many = Array.from({ length: 100_000 }, (_, at) => `k${at}=1`);
    for (const key of ['fixField', 'split']) {
      setLock({ options: { [key]: many } });
      const began = Date.now();
      const { stderr } = await run('check', 'root');
      expect([key, stderr.length < 10_000, Date.now() - began < 20_000]).toEqual([key, true, true]);
    }
  }, 120_000);

  test('may hold the name of the folder', async () => {
    const { run } = await checkout('--name', 'other');
    expect(await run('check', 'root')).toMatchObject({ exitCode: 0, stdout: 'same root/resources_servers/other' });
  });

  test('a long or damaged lock file is reported in a few short lines', async () => {
    const { run, setLock } = await checkout();
    const long = 'x'.repeat(100_000);
    setLock({
      options: Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${long.slice(0, 500)}${at}`, long])),
    });
    const { exitCode, stderr } = await run('check', 'root');
    expect(exitCode).toBe(2);
    expect(String(stderr).length).toBeLessThan(2000);
  });
});

describe('headers of the command line', () => {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: a variable of a shell
  const HEADERS = [
    ['--header', 'Authorization: Bearer topsecret'],
    ['--header-env', 'Authorization=Bearer $HOME'],
  ];
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: a variable of a shell

  test.each(HEADERS)('are not sent to a server that only the lock file names: %s', async (...header) => {
    const { server, run, setLock } = await checkout();
    const thief = await StandIn.start({ splits: { train: days(3) } });
    setLock({ source: `${thief.url}/it's` });
    for (const command of ['check', 'update']) {
      const { exitCode, stderr } = await run(command, 'root', ...header);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`--source '${thief.url}/it'\\''s'`);
      expect(stderr).not.toContain('topsecret');
    }
    expect(thief.asked).toEqual([]);
    expect(thief.handshakes).toEqual([]);
    expect(await run('check', 'root', ...header, '--source', server.url)).not.toMatchObject({ exitCode: 2 });
    expect(thief.asked).toEqual([]);
    expect(server.asked.some(({ headers }) => headers.authorization?.startsWith('Bearer'))).toBe(true);
  });

  test('are named if the server of a lock file needs those of its config', async () => {
    const denied = { status: 401, body: 'no token' };
    const http = ({ headers }: Asked) => (headers.authorization === 'Bearer t0p' ? undefined : denied);
    const server = await StandIn.start({ splits: { train: days(1) }, http });
    const { cwd } = placed();
    const env = { XDG_STATE_HOME: tempFolder(), SHOP_TOKEN: 't0p' };
    const header = 'Authorization=Bearer $SHOP_TOKEN';
    expect(await gymgen([server.url, 'root', '--header-env', header], { cwd, env })).toMatchObject({ exitCode: 0 });
    for (const command of ['check', 'update']) {
      const { exitCode, stderr } = await gymgen([command, 'root'], { cwd, env });
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`: --source ${server.url} --header-env '${header}'`);
      const fixed = [command, 'root', '--source', server.url, '--header-env', header];
      expect(await gymgen(fixed, { cwd, env })).toMatchObject({ exitCode: 0 });
    }
  });

  test('are also named if the server denies only the WebSocket', async () => {
    const server = await StandIn.start({ splits: { train: days(1) } });
    const { cwd } = placed();
    const env = { XDG_STATE_HOME: tempFolder(), SHOP_TOKEN: 't0p' };
    const header = 'Authorization=Bearer $SHOP_TOKEN';
    expect(await gymgen([server.url, 'root', '--header-env', header], { cwd, env })).toMatchObject({ exitCode: 0 });
    server.refuseUpgrades(403);
    const { stderr } = await gymgen(['check', 'root'], { cwd, env });
    expect(stderr).toContain(`: --source ${server.url} --header-env '${header}'`);
  });

  test.each(['http://h/\u001b[2J\n::error::x', 'https://u:secret@h', 'file:///etc/passwd', '://'])(
    'the error shows no unsafe text of a lock file: %j',
    async (source) => {
      const { run, setLock } = await checkout();
      setLock({ source });
      const { exitCode, stderr } = await run('check', 'root', '--header', 'A: b');
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--source ')]);
      expect(stderr).not.toContain('\u001b[2J');
      expect(stderr).not.toMatch(/^::|secret/m);
    },
  );
});

describe('a tasks file that a lock file names', () => {
  async function withTasks() {
    const server = await serverWithoutTasks();
    const place = placed();
    writeFileSync(join(place.cwd, 'tasks.csv'), 'seed,prompt\n1,Play.\n');
    expect(await place.run(server.url, 'root', '--tasks', 'tasks.csv', '--name', 'grid_v1')).toMatchObject({
      exitCode: 0,
    });
    return { server, ...place };
  }

  test('is read below the current folder, also through a link that stays there', async () => {
    const { cwd, run, setLock } = await withTasks();
    expect(await run('check', 'root')).toMatchObject({ exitCode: 0 });
    symlinkSync('tasks.csv', join(cwd, 'link.csv'));
    setLock({ options: { tasks: 'link.csv' } });
    expect(await run('check', 'root')).not.toMatchObject({ exitCode: 2 });
  });

  test.each<[string, (cwd: string, outside: string) => string]>([
    ['is elsewhere', (_, outside) => join(outside, 'secret.csv')],
    ['is above', () => '../secret.csv'],
    ['is a link that leads out', (cwd, outside) => linked(join(outside, 'secret.csv'), cwd, 'link.csv')],
    ['is below a link that leads out', (cwd, outside) => join(linked(outside, cwd, 'folder'), 'secret.csv')],
    ['is in .git', (cwd) => put(cwd, '.git/config.csv')],
    ['is in a .git of another case', (cwd) => put(cwd, 'a/.GIT/config.csv')],
    ['is a link into .git', (cwd) => linked(put(cwd, '.git/config.csv'), cwd, 'link.csv')],
    ['is a folder', (cwd) => mkdirSync(join(cwd, 'folder.csv')) ?? 'folder.csv'],
    ['is a FIFO', (cwd) => execFileSync('mkfifo', [join(cwd, 'fifo.csv')]) && 'fifo.csv'],
  ])('is refused if it %s, unless the command line names it', async (_, make) => {
    const { server, cwd, run, setLock } = await withTasks();
    const outside = tempFolder();
    writeFileSync(join(outside, 'secret.csv'), 'split,secret\ntrain,hunter2\n');
    setLock({ options: { tasks: make(cwd, outside) } });
    const asked = server.asked.length + server.sessions.length;
    for (const command of ['check', 'update']) {
      const { exitCode, stderr } = await run(command, 'root');
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/names a tasks file [\s\S]*--tasks FILE/)]);
    }
    expect(server.asked.length + server.sessions.length).toBe(asked);
    expect(await run('check', 'root', '--tasks', 'tasks.csv')).not.toMatchObject({ exitCode: 2 });
  });

  function put(cwd: string, file: string): string {
    mkdirSync(join(cwd, file, '..'), { recursive: true });
    writeFileSync(join(cwd, file), 'split,secret\ntrain,hunter2\n');
    return file;
  }

  function linked(to: string, cwd: string, name: string): string {
    symlinkSync(to, join(cwd, name));
    return name;
  }
});

describe('code that serves the tasks', () => {
  /**
   * A bundle, and a fake Python that announces the URL of a running server and creates a file, so that a test can
   * detect it.
   */
  async function withBundle(...flags: string[]) {
    const server = await StandIn.start({ splits: { train: days(3) } });
    const place = placed();
    const trace = join(place.cwd, 'ran');
    mkdirSync(join(place.cwd, '.git'));
    mkdirSync(join(place.cwd, 'bundle/tasks'), { recursive: true });
    writeFileSync(
      join(place.cwd, 'python'),
      `#!/bin/sh\n[ "$1" = -c ] && exit 0\necho "$@" >> ${trace}\necho '{"url":"${server.url}","framework":"0.9"}'\ncat\n`,
    );
    chmodSync(join(place.cwd, 'python'), 0o755);
    const python = ['--python', join(place.cwd, 'python')];
    const written = await place.run('bundle', 'root', ...python, ...flags);
    expect(written).toMatchObject({ exitCode: 0 });
    const ran = () => (existsSync(trace) ? readFileSync(trace, 'utf8').trim().split('\n').length : 0);
    /** Copies the files, as for another user or another machine. */
    const elsewhere = () => {
      const copy = tempFolder();
      cpSync(place.cwd, copy, { recursive: true });
      return placed(copy);
    };
    return { server, ...place, python, ran, elsewhere };
  }

  const REFUSED = 'refused to run code that only a lock file names';

  test('is run again for the user who wrote the folder from it', async () => {
    const { run, python, ran } = await withBundle();
    expect(await run('check', 'root', ...python)).toMatchObject({ exitCode: 0 });
    expect(await run('update', 'root', ...python)).toMatchObject({ exitCode: 0 });
    expect(ran()).toBe(3);
  });

  test('is not run in a fresh clone, except by the command that the error shows', async () => {
    const { elsewhere, python, ran } = await withBundle();
    const clone = elsewhere();
    const before = ran();
    for (const command of ['check', 'update']) {
      const { exitCode, stderr } = await clone.run(command, 'root', ...python);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(REFUSED)]);
      expect(stderr).toMatch(
        new RegExp(`fix: .*gymgen(\\.cjs)? ${command} root --python .*/python --run-source$`, 'm'),
      );
    }
    expect(ran()).toBe(before);
    expect(await clone.run('check', 'root', ...python, '--run-source')).toMatchObject({ exitCode: 0 });
    // A check writes nothing, so the next command asks again. An update is a write, so gymgen remembers it.
    expect(await clone.run('check', 'root', ...python)).toMatchObject({ exitCode: 2 });
    expect(await clone.run('update', 'root', ...python, '--run-source')).toMatchObject({ exitCode: 0 });
    expect(await clone.run('check', 'root', ...python)).toMatchObject({ exitCode: 0 });
  });

  test('is named by the command that keeps the options of a rewrite, for another user with --run-source', async () => {
    const { elsewhere, run, python } = await withBundle('--limit', '2');
    const rewrite = ['bundle', 'root', ...python, '--dry-run'];
    expect((await run(...rewrite)).stderr).toMatch(/--limit 2: .*; keep it with: .* update root --python \S+$/m);
    const clone = elsewhere();
    expect((await clone.run(...rewrite)).stderr).toMatch(/ update root --run-source --python \S+$/m);
  });

  test('is run if the command line names it', async () => {
    const { elsewhere, python } = await withBundle();
    const clone = elsewhere();
    expect(await clone.run('check', 'root', ...python, '--source', 'bundle')).toMatchObject({ exitCode: 0 });
  });

  test('is not run from another place than the folder was written from', async () => {
    const { cwd, run, python, ran, setLock } = await withBundle();
    mkdirSync(join(cwd, 'evil/envs'), { recursive: true });
    mkdirSync(join(cwd, 'project'));
    writeFileSync(join(cwd, 'project/openenv.yaml'), 'app: a:b\n');
    const before = ran();
    for (const source of [
      '../../../../evil',
      join(cwd, 'evil'),
      'evil',
      'installed-bundle',
      'owner/bundle',
      'project',
    ]) {
      setLock({ source });
      const { exitCode, stderr } = await run('check', 'root', ...python);
      expect([exitCode, stderr], source).toEqual([2, expect.stringContaining(REFUSED)]);
    }
    expect(ran()).toBe(before);
  });

  test('is not deployed on a sandbox that only the lock file names', async () => {
    const { run, python, ran, setLock } = await withBundle();
    setLock({ sandbox: 'cloud' });
    for (const source of [[], ['--source', 'bundle']]) {
      const { exitCode, stderr } = await run('check', 'root', ...python, ...source);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('in the sandbox cloud')]);
    }
    expect(ran()).toBe(1);
  });

  test.each([[['--sandbox', 'docker']], [['--absolute']]])(
    'a write with %j is checked as it was written',
    async (flags) => {
      const { run, python } = await withBundle(...flags);
      expect(await run('check', 'root', ...python)).toMatchObject({ exitCode: 0 });
    },
  );

  test('needs the flag if the state folder cannot be used, without another message', async () => {
    const { cwd, python, server } = await withBundle();
    const run = (...args: string[]) => gymgen(args, { cwd, env: { XDG_STATE_HOME: '/dev/null' } });
    expect(await run('bundle', 'root', ...python, '--quiet')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await run('check', 'root', ...python)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(REFUSED),
    });
    expect(await run('check', 'root', ...python, '--run-source')).toMatchObject({ exitCode: 0 });
    expect(server.asked.length).toBeGreaterThan(0);
  });

  test('is not loaded from a file that a lock file names as its source', async () => {
    const { cwd, run, setLock } = await withBundle();
    writeFileSync(join(cwd, 'recording.jsonl'), '{}\n');
    setLock({ source: realpathSync(join(cwd, 'recording.jsonl')) });
    expect(await run('check', 'root', '--run-source')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('lock file names a file as its source'),
    });
  });
});
