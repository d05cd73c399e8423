import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { recorded } from '../support/recorded.js';
import { SELF_SIGNED } from '../support/self-signed.js';
import { day, days, tool } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';
import { steering } from '../support/steering.js';
import { withoutTime } from '../support/without-time.js';

const gymgen = builtCli();
const root = () => join(tempFolder(), 'gym-root');

describe('the command line', () => {
  test.each<[args: string[], told: RegExp]>([
    [['http://127.0.0.1:1'], /missing required argument 'gym-root'/],
    [['write'], /missing required argument 'source'/],
    [['http://127.0.0.1:1', 'root', 'more'], /too many arguments/],
    [['http://127.0.0.1:1', 'root', '--probe', '3'], /unknown option '--probe'[\s\S]*--probe/],
    [['http://127.0.0.1:1', 'root', '--limit'], /'--limit <rows>' argument missing/],
    [['http://127.0.0.1:1', 'root', '--probe-turns', 'last'], /--probe-turns[\s\S]*Allowed choices are first, all/],
    [['http://127.0.0.1:1', 'root', '--limit', '0'], /--limit must be 1 or more/],
    [['root', 'http://127.0.0.1:1'], /in the wrong order\n {2}fix: node \S*bin\/gymgen.cjs http:\/\/127.0.0.1:1 root/],
    [['127.0.0.1:8000', 'root'], /not a URL: 127.0.0.1:8000\n {2}fix: .*http:\/\/127.0.0.1:8000/],
    [
      ['root', 'localhost:8000/base'],
      /in the wrong order\n {2}fix: node \S*bin\/gymgen.cjs http:\/\/localhost:8000\/base root/,
    ],
    [['.', 'root'], /\. is neither an OpenEnv project nor an AgentEnv bundle[\s\S]*pass the URL of an OpenEnv server/],
    [['ftp://user:hunter2@h', 'root'], /not a URL of an OpenEnv server: ftp:/],
    [['http://127.0.0.1:1', 'root'], /connection refused[\s\S]*curl/],
    [['demo', 'root', '--port', 'x'], /--port must be/],
    [['demo', '--serve', '--port', '70000'], /--port/],
  ])('%j: exit 2', async (args, told) => {
    const { exitCode, stdout, stderr } = await gymgen(args, { cwd: tempFolder() });
    expect(stderr).toMatch(told);
    expect(stderr).not.toMatch(/hunter2|\n\s+at .*:\d+:\d+/);
    expect([exitCode, stdout]).toEqual([2, '']);
  });

  test('demo --serve reports a taken port before anything is started', async () => {
    const server = await StandIn.start();
    const { port } = new URL(server.url);
    const { exitCode, stderr } = await gymgen(['demo', '--serve', '--port', port]);
    expect(stderr).toBe(
      `error: port ${port} is in use\n  fix: stop the program that listens there, or choose another port: --port ${Number(port) + 1}`,
    );
    expect(exitCode).toBe(2);
  });

  test('a rewrite names the files that it removes', async () => {
    const server = await StandIn.start({ splits: { train: days(2), eval: days(1) } });
    const cwd = tempFolder();
    await gymgen([server.url, 'root'], { cwd });
    const { exitCode, stderr } = await gymgen([server.url, 'root', '--split', 'eval'], { cwd });
    expect(stderr).toContain('  removed data/train.jsonl, which is no longer generated');
    expect(exitCode).toBe(0);
  });

  test('--help prints options and examples to stdout', async () => {
    const { exitCode, stdout } = await gymgen(['write', '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/--probes <n\|all>[\s\S]*Examples:\n {2}# .+\n {2}\$ npx \. /);
  });

  test('--version', async () => {
    expect(await gymgen(['--version'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
  });
});

describe('a server', () => {
  test('is written: one line on stdout, everything else on stderr', async () => {
    const server = await recorded('tools-v1');
    const cwd = tempFolder();
    // `stats` is a route of Gym's own.
    const args = ['gym-root', '--rename-tool', 'stats=stats_tool'];
    const first = await gymgen([server.url, ...args], { cwd });
    expect(first.exitCode).toBe(0);
    expect(first.stdout).toMatch(/ in \d+\.\d s$/);
    expect(withoutTime(first.stdout)).toBe('wrote gym-root/resources_servers/tools_v1');
    expect(first.stderr).toMatch(/data\/train.jsonl\s+5 rows/);
    expect(first.stderr).toMatch(/4 toolsets: /);
    expect(first.stderr).toMatch(/play gym-root[\s\\]+--policy idle/);
    expect(steering(first.stderr)).toEqual([]);

    const again = await gymgen(['write', `${server.url}/docs`, ...args, '--quiet'], { cwd });
    expect(again).toMatchObject({ exitCode: 0, stdout: 'unchanged gym-root/resources_servers/tools_v1', stderr: '' });
  });

  test('with tasks of several turns: the output explains end_turn', async () => {
    const server = await StandIn.start({ turns: () => [[tool('end_turn')], [tool('end_turn')]] });
    const { stderr } = await gymgen([server.url, root()]);
    expect(stderr).toMatch(/several turns[\s\S]*--append-system-prompt/);
  });

  test('with --json: one document on stdout', async () => {
    const server = await StandIn.start();
    const target = root();
    const { exitCode, stdout } = await gymgen([server.url, target, '--json', '--verbose']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'wrote',
      folder: join(target, 'resources_servers/grid_v1'),
      name: 'grid_v1',
      environment: 'grid-v1',
      rows: [{ split: 'train', rows: 3 }],
      toolsets: [{ key: 'agent:solver', tools: ['submit_schedule', 'end_turn'], turns: 1 }],
      counts: { sessions: 3 },
    });
  });

  test('that fails with --json: one document, too', async () => {
    const { exitCode, stdout } = await gymgen(['http://127.0.0.1:1', root(), '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { what: expect.stringMatching(/connection refused/) },
      exitCode: 2,
    });
  });

  test('with --dry-run: the plan and one row, and nothing is written', async () => {
    const server = await StandIn.start();
    const target = root();
    const { exitCode, stdout } = await gymgen([server.url, target, '--dry-run']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^create {2}app.py$/m);
    expect(stdout).toMatch(
      /^would write .*\n {2}data\/train.jsonl {2}3 rows\n[\s\S]*\none row:\n\{\n {2}"responses_create_params": \{/,
    );
    expect(existsSync(target)).toBe(false);
  });

  test('with numbers in schemas that JSON.parse would change: every output keeps their spelling', async () => {
    const schema =
      '{"type":"object","properties":{"b":{"maximum":9223372036854775807,"default":1.0},"1":{"x":1,"x":2}}}';
    const server = await StandIn.start({ turns: () => [[`{"name":"a","input_schema":${schema}}`]] });
    const target = root();
    const dry = await gymgen([server.url, target, '--dry-run', '--json']);
    expect(JSON.parse(dry.stdout).row).toContain(`"parameters":${schema}`);
    await gymgen([server.url, target]);
    const rows = readFileSync(join(target, 'resources_servers/grid_v1/data/train.jsonl'), 'utf8');
    expect(rows.split('\n').filter((line) => line.includes(`"parameters":${schema}`))).toHaveLength(3);
  });

  test('whose responses have control characters does not control the terminal', async () => {
    const evil = 'a\x1b[2J\u009b1m\x07b';
    const server = await StandIn.start({ splits: { [evil]: [day(0)] }, turns: () => [[tool(evil)]] });
    const { exitCode, stderr, stdout } = await gymgen([server.url, root(), '--verbose']);
    expect(exitCode).toBe(2);
    expect(steering(stderr + stdout)).toEqual([]);
  });

  test('with an untrusted certificate', async () => {
    const server = await StandIn.start({ tls: SELF_SIGNED });
    expect(await gymgen([server.url, root()])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/TLS failed/),
    });
  });
});

describe('secrets', () => {
  const texts = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));

  test('reach the server, but no file and no output', async () => {
    const server = await StandIn.start();
    const target = root();
    const url = `http://user:hunter2@${server.host}`;
    const args = [url, target, '--header', 'X-Key: hunter2', '--header-env', 'X-Env=Bearer $TEST_SECRET', '--verbose'];
    const env = { TEST_SECRET: 'hunter2' };
    const outputs = [
      await gymgen(args, { env }),
      await gymgen([...args, '--json', '--limit', '1'], { env }),
      await gymgen([...args, '--dry-run'], { env }),
      await gymgen([...args, '--split', 'no-such-split'], { env }),
    ];
    expect(outputs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 2]);
    for (const { headers } of server.asked) {
      expect(headers).toMatchObject({
        'x-key': 'hunter2',
        'x-env': 'Bearer hunter2',
        authorization: expect.stringMatching(/^Basic/),
      });
    }
    const written = texts(target);
    expect(written.some((text) => text.includes('$TEST_SECRET'))).toBe(true);
    for (const text of [...written, ...outputs.flatMap(({ stdout, stderr }) => [stdout, stderr])]) {
      expect(text).not.toContain('hunter2');
      expect(text).not.toContain(Buffer.from('user:hunter2').toString('base64'));
    }
  });

  test('in a variable that is not set: the run stops at once', async () => {
    const server = await StandIn.start();
    const { exitCode, stderr } = await gymgen([server.url, root(), '--header-env', 'A=$NO_SUCH_SECRET']);
    expect([exitCode, server.asked.length]).toEqual([2, 0]);
    expect(stderr).toMatch(/names \$NO_SUCH_SECRET, which is not set/);
  });
});

test('a license that Gym rejects is rejected before any task is read', async () => {
  const server = await StandIn.start();
  const args = [server.url, root(), '--datasets', 'train=train', '--license', 'apache-2.0'];
  const { exitCode, stderr } = await gymgen(args);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/--license "Apache 2.0"/);
  expect(server.asked.some(({ path }) => path.endsWith('/task_range'))).toBe(false);
});

test('a slow reader of a pipe gets the complete output', async () => {
  const prompt = 'é'.repeat(400_000);
  const server = await StandIn.start({ splits: { train: [day(0, { prompt })] } });
  const { stdout } = await gymgen.piped([server.url, root(), '--dry-run', '--json'], '{ sleep 1; cat; }');
  expect(JSON.parse(JSON.parse(stdout).row).responses_create_params.input.at(-1).content).toBe(prompt);
});

test('a reader that closes the pipe is not a failure', async () => {
  const server = await StandIn.start();
  const { stdout, stderr } = await gymgen.piped([server.url, root(), '--dry-run'], 'true');
  expect(stdout).toBe('');
  expect(stderr).toBe('');
});

test('a reader that closes the pipe during the help is not a failure', async () => {
  const { stderr } = await gymgen.piped(['--help'], 'true');
  expect(stderr).toBe('');
});

describe('a signal', () => {
  test.each([
    ['SIGINT', 130, 'a reset', 'nothing there'],
    ['SIGTERM', 143, 'a reset', 'a root there'],
    ['SIGTERM', 143, 'a page', 'nothing there'],
    ['SIGINT', 130, 'the first response', 'nothing there'],
  ] as const)('%s ends with %d in %s, with %s: sessions closed, nothing left', async (signal, code, moment, before) => {
    const folder = tempFolder();
    const target = join(folder, 'gym-root');
    if (before === 'a root there') mkdirSync(target);
    const kill = () => void setTimeout(() => running.kill(signal), 20);
    const server = await StandIn.start({
      splits: { train: days(2000, () => ({ toolset: 'a' })) },
      http: ({ path, body }) => {
        const start = (body as { start?: number } | undefined)?.start ?? 0;
        const now =
          path === '/health' ? 'the first response' : path.endsWith('/task_range') && start > 0 ? 'a page' : '';
        if (now !== moment) return undefined;
        kill();
        return () => {};
      },
      ws: ({ type }) => {
        if (type !== 'reset' || moment !== 'a reset') return undefined;
        kill();
        return null;
      },
    });
    const running = gymgen([server.url, target]);
    const { exitCode, stdout, stderr } = await running;
    expect([exitCode, stdout, stderr]).toEqual([
      code,
      '',
      `error: ${signal === 'SIGINT' ? 'interrupted' : 'terminated'}; nothing was written`,
    ]);
    await server.idle();
    expect(readdirSync(folder)).toEqual(before === 'a root there' ? ['gym-root'] : []);
    if (before === 'a root there') expect(readdirSync(target)).toEqual([]);
  });
});
