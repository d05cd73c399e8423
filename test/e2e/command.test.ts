// The command line as users and scripts see it: two streams, exit codes, colors, and a second run.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { withoutTime } from '../support/without-time.js';
import { folderOf, gymgen, mustGymgen, plainEnv, snapshot, startGymgen, tempFolder } from './support/gymgen.js';
import { freePort } from './support/ports.js';
import { endings } from './support/processes.js';
import { type Gridsim, gridsim } from './support/servers.js';
import { gymgenBin, python } from './support/toolchain.js';

const NAME = 'gridsim_v1';
const work = tempFolder();
const ending = endings();
const rootOf = (name: string) => join(work, name);
let server: Gridsim;

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: terminal escapes consist of them
const CONTROL = /[\x00-\x09\x0b-\x1f]/;
const COLOR = /\x1b\[[\d;]*m/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

beforeAll(async () => {
  server = ending(await gridsim('--train', '40', '--eval', '10'));
});

describe('a run', () => {
  test('prints its result to stdout and everything else to stderr, in plain lines if there is no terminal', async () => {
    const { exitCode, stdout, stderr } = await gymgen(server.url, rootOf('plain'));
    expect({ exitCode, stdout: withoutTime(stdout) }).toEqual({
      exitCode: 0,
      stdout: `wrote ${folderOf(rootOf('plain'), NAME)}\n`,
    });
    for (const text of [
      'all.jsonl',
      '50 rows',
      '1 toolset: submit_schedule, end_turn',
      'datasets: train = train, validation = eval (license TBD)',
      '--policy idle',
    ]) {
      expect(stderr).toContain(text);
    }
    expect(stderr).not.toMatch(CONTROL);
  });

  test('prints one JSON document with --json, also if it fails', async () => {
    const done = await gymgen(server.url, rootOf('json'), '--json');
    expect(JSON.parse(done.stdout)).toMatchObject({
      status: 'wrote',
      folder: folderOf(rootOf('json'), NAME),
      environment: 'gridsim-v1',
      rows: [
        { split: 'all', rows: 50 },
        { split: 'train', rows: 40 },
        { split: 'eval', rows: 10 },
      ],
    });
    const failed = await gymgen(`http://127.0.0.1:${await freePort()}`, rootOf('json'), '--json');
    expect(failed.exitCode).toBe(2);
    expect(JSON.parse(failed.stdout)).toMatchObject({ exitCode: 2, error: { what: expect.any(String) } });
  });

  test('prints only the result with --quiet', async () => {
    const { stdout, stderr } = await gymgen(server.url, rootOf('quiet'), '--quiet');
    expect({ stdout: withoutTime(stdout), stderr }).toEqual({
      stdout: `wrote ${folderOf(rootOf('quiet'), NAME)}\n`,
      stderr: '',
    });
  });

  test('writes nothing with --dry-run, and shows the plan and a row', async () => {
    const { exitCode, stdout } = await gymgen(server.url, rootOf('dry'), '--dry-run');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^create {2}data\/eval\.jsonl$/m);
    expect(stdout).toMatch(/^ {2}"responses_create_params": /m);
    expect(existsSync(rootOf('dry'))).toBe(false);
  });

  test('writes only the selected splits and rows, and accepts repeated options', async () => {
    const options = ['--split', 'train', '--split', 'eval', '--limit', '7', '--name', 'battery', '--max-steps', '9'];
    await mustGymgen('write', server.url, rootOf('some'), ...options);
    const { texts } = snapshot(folderOf(rootOf('some'), 'battery'));
    const rows = Object.keys(texts).filter((path) => path.startsWith('data/'));
    expect(rows.map((path) => [path, texts[path]?.split('\n').length])).toEqual([
      ['data/eval.jsonl', 8],
      ['data/train.jsonl', 8],
    ]);
    expect(texts['configs/battery.yaml']).toContain('max_steps: 9');
  });

  test('prints everything to a pipe that is read late, however long the output is', async () => {
    const long = join(work, 'long.txt');
    writeFileSync(long, 'Mind the battery. '.repeat(20_000));
    const args = [server.url, rootOf('pipe'), '--json', '--dry-run', '--append-system-prompt', `@${long}`];
    const command = '"$0" "$@" 2>/dev/null | { sleep 1; cat; }';
    const { stdout } = await execa('sh', ['-c', command, process.execPath, gymgenBin(), ...args]);
    expect(stdout.length).toBeGreaterThan(5 * 65_536);
    expect(() => JSON.parse(stdout)).not.toThrow();
  });
});

describe('a second run', () => {
  test('with nothing new writes nothing, and says so', async () => {
    const root = rootOf('twice');
    await mustGymgen(server.url, root);
    const before = snapshot(folderOf(root, NAME));
    expect(await mustGymgen(server.url, root)).toBe(`unchanged ${folderOf(root, NAME)}\n`);
    expect(snapshot(folderOf(root, NAME))).toEqual(before);
    expect(readdirSync(root)).toEqual(['resources_servers']);
  });

  test('stops if a file was edited by hand, names the file, and changes nothing', async () => {
    const root = rootOf('edited');
    await mustGymgen(server.url, root);
    writeFileSync(join(folderOf(root, NAME), 'app.py'), '# mine\n');
    const before = snapshot(folderOf(root, NAME));
    const { exitCode, stdout, stderr } = await gymgen(server.url, root, '--limit', '3');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('app.py');
    expect(stderr).toContain('--force');
    expect(snapshot(folderOf(root, NAME))).toEqual(before);
    expect(readdirSync(root)).toEqual(['resources_servers']);
    expect(await mustGymgen(server.url, root, '--limit', '3', '--force')).toMatch(/^wrote /);
  });
});

describe('a failed command exits with 2, names the problem, the place and the fix, and leaves nothing', () => {
  const cases: [string, (url: string) => string[], RegExp][] = [
    ['the arguments in the wrong order', (url) => ['new', url], /wrong order[\s\S]*fix: node \S*gymgen.cjs http/],
    [
      'a URL without its scheme',
      (url) => [url.replace('http://', ''), 'new'],
      /not a URL: 127[\s\S]*fix: .*http:\/\/127/,
    ],
    ['only a source', (url) => [url], /missing required argument 'gym-root'/],
    ['an unknown option', (url) => [url, 'new', '--splits', 'all'], /unknown option '--splits'/],
    ['an unknown split', (url) => [url, 'new', '--split', 'test'], /no such split: 'test'[\s\S]*all, train, eval/],
    ['an invalid number', (url) => [url, 'new', '--limit', 'ten'], /--limit must be a whole number/],
    [
      'a license without datasets',
      (url) => [url, 'new', '--datasets', 'none', '--license', 'MIT'],
      /--license needs datasets/,
    ],
    [
      "an SPDX license, which Gym's aren't",
      (url) => [url, 'new', '--datasets', 'train=train', '--license', 'Apache-2.0'],
      /Apache 2\.0/,
    ],
    ['a name that Gym refuses', (url) => [url, 'new', '--name', 'My-Env.v2'], /My-Env\.v2/],
    ['another path than the server is at', (url) => [`${url}/nothing/here`, 'new'], /404/],
  ];

  test.for(cases)('%s', async ([, args, message]) => {
    const folder = rootOf('bad');
    mkdirSync(folder, { recursive: true });
    const { exitCode, stdout, stderr } = await execa(process.execPath, [gymgenBin(), ...args(server.url)], {
      cwd: folder,
      env: plainEnv(),
      extendEnv: false,
      reject: false,
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at .*:\d+/); // no stack
    expect(readdirSync(folder)).toEqual([]);
  });

  test('an unreachable server', async () => {
    const { exitCode, stderr } = await gymgen(`http://127.0.0.1:${await freePort()}`, rootOf('down'));
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: .*\n {2}at: {2}GET http:\/\/127.*\n {2}fix: /m);
    expect(existsSync(rootOf('down'))).toBe(false);
  });
});

describe('on a terminal', () => {
  const onTerminal = async (env: Record<string, string>, ...args: string[]) => {
    const spawn = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
    const command = ['-c', spawn, process.execPath, gymgenBin(), ...args];
    const options = { env: plainEnv({ TERM: 'xterm-256color', ...env }), extendEnv: false, reject: false } as const;
    return execa(await python('gym'), command, options);
  };
  test('there are colors', async () => {
    const { stdout, exitCode } = await onTerminal({}, server.url, rootOf('tty'), '--dry-run');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(COLOR);
    expect(stdout.replace(COLOR, '')).not.toMatch(/\[\d{1,2}m/); // no escape is cut into pieces
  });

  test('there are no colors with NO_COLOR', async () => {
    const { stdout } = await onTerminal({ NO_COLOR: '1' }, server.url, rootOf('tty'), '--dry-run');
    expect(stdout).toContain('create');
    expect(stdout).not.toMatch(COLOR);
  });

  test('the result of --json is not colored', async () => {
    const { stdout } = await startGymgen([server.url, rootOf('tty'), '--json'], { FORCE_COLOR: '1' });
    expect(stdout).not.toMatch(COLOR);
  });
});
