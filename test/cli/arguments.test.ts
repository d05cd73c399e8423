// Arguments that are refused before a command does anything.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/main.js';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { gymgenHere } from '../support/cli-here.js';
import { handRecording } from '../support/hand-recording.js';

const URL = 'http://127.0.0.1:9';

describe('with --json, a usage error is one document on stdout', () => {
  test.each([
    ['a missing argument', [URL, '--json']],
    ['a missing argument of a command', ['check', '--json']],
    ['an unknown option', [URL, 'root', '--josn', '--json']],
    ['an unknown option of a command', ['doctor', '--json', '--nope']],
    ['too many arguments', [URL, 'root', 'more', '--json']],
    ['an invalid choice', [URL, 'root', '--json', '--reward-rule', 'mean']],
    ['an option without its value', [URL, 'root', '--json', '--limit']],
    ['options that exclude each other', [URL, 'root', '--json', '--tasks', 't.csv', '--episodes', '2']],
    ['an empty argument', [URL, '', '--json']],
    ['a mistyped command', ['chekc', 'root', '--json']],
  ])('%s', async (_, args) => {
    const { stdout, stderr, exitCode } = await gymgenHere(args, { cwd: tempFolder() });
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'usage', what: expect.stringMatching(/\w/), details: [], fix: expect.stringMatching(/\w/) },
      exitCode: 2,
    });
    expect(stderr).toMatch(/^error: /);
    expect(exitCode).toBe(2);
  });

  test('--json after -- is an argument', async () => {
    const { stdout, exitCode } = await gymgenHere([URL, '--', 'root', '--json'], { cwd: tempFolder() });
    expect([stdout, exitCode]).toEqual(['', 2]);
  });

  test('help is not an error', async () => {
    const { stdout, exitCode } = await gymgenHere(['check', '--json', '--help'], { cwd: tempFolder() });
    expect(stdout).toMatch(/^Usage/);
    expect(exitCode).toBe(0);
  });
});

describe('an empty argument is refused', () => {
  test.each<[string, string[]]>([
    ['<source>', ['', 'root']],
    ['<gym-root>', [URL, '']],
    ['<gym-root>', [URL, ' \t']],
    ['<gym-root>', ['update', '']],
    ['<gym-root>', ['check', URL, '']],
    ['<gym-root>', ['demo', '']],
    ['<source>', ['inspect', '']],
    ['<file>', ['record', URL, '']],
    ['<file>', ['batch', '']],
    ['--root', ['batch', '--source', URL, '--root', '']],
    ['--source', ['batch', '--source', URL, '--source', '', '--root', 'r']],
    ['--source', ['update', 'root', '--source=']],
    ...['name', 'split', 'limit', 'config-url', 'reward', 'sandbox', 'python', 'license', 'datasets', 'tasks'].map(
      (name): [string, string[]] => [`--${name}`, [URL, 'root', `--${name}`, '']],
    ),
    ...['prompt', 'tool-doc', 'append-system-prompt', 'prompt-field', 'hide-field', 'fix-field', 'header'].map(
      (name): [string, string[]] => [`--${name}`, [URL, 'root', `--${name}`, '']],
    ),
  ])('%s: %j', async (name, args) => {
    const cwd = tempFolder();
    const { stderr, exitCode } = await gymgenHere(args, { cwd });
    expect(stderr).toMatch(new RegExp(`^error: ${name} is empty\n {2}fix: `));
    expect(exitCode).toBe(2);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('a mistyped command', () => {
  test.each([
    [['chekc', 'gym-root'], 'check'],
    [['Check', 'gym-root'], 'check'],
    [['updat', 'gym-root', '--force'], 'update'],
    [['-q', 'recrod', URL, 'f.jsonl'], 'record'],
    [['--json', 'bacth', 'envs.yaml'], 'batch'],
    [['inspct', URL], 'inspect'],
    [['dmeo'], 'demo'],
  ])('%j: did you mean %s?', async (args, meant) => {
    const { stderr, exitCode } = await gymgenHere(args, { cwd: tempFolder() });
    expect(stderr).toContain(`did you mean ${meant}?\n  fix: gymgen `);
    expect(exitCode).toBe(2);
  });

  test('an existing path, a URL or a word unlike any command is a source', async () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, 'chekc'));
    for (const source of ['chekc', 'check://x', 'chess.jsonl']) {
      expect((await gymgenHere([source, 'root'], { cwd })).stderr).not.toContain('did you mean');
    }
  });
});

test.each<[string[], string]>([
  [['frobnicate'], "unknown command 'frobnicate'\n  fix: see gymgen --help"],
  [['help', 'frobnicate'], "unknown command 'frobnicate'\n  fix: see gymgen --help"],
  [['help', 'chekc'], "unknown command 'chekc': did you mean check?\n  fix: gymgen help check"],
  [['trainer', 'nemo'], "unknown command 'nemo': did you mean nemo-rl?\n  fix: see gymgen trainer --help"],
  [['trainer', 'axolot'], "unknown command 'axolot': did you mean axolotl?\n  fix: see gymgen trainer --help"],
  [[URL, 'root', '--lmit', '3'], "unknown option '--lmit': did you mean --limit?\n  fix: see gymgen write --help"],
  [
    ['trainer', 'verl', 'r', '--ouput', 'x'],
    "unknown option '--ouput': did you mean --output?\n  fix: see gymgen trainer verl --help",
  ],
  [
    [URL],
    "missing required argument 'gym-root'\n  fix: gymgen write [options] <source> <gym-root> (see gymgen write --help)",
  ],
  [[URL, 'root', '--limit'], "option '--limit <rows>' argument missing\n  fix: see gymgen write --help"],
])('%j: %s', async (args, message) => {
  const { stdout, stderr, exitCode } = await gymgenHere(args, { cwd: tempFolder() });
  expect([stdout, stderr, exitCode]).toEqual(['', `error: ${message}\n`, 2]);
});

test.each([[[]], [['trainer']]])('gymgen %j shows the help', async (args) => {
  const { stdout, stderr, exitCode } = await gymgenHere(args, { cwd: tempFolder() });
  expect([stdout.split(' ', 1), stderr, exitCode]).toEqual([['Usage:'], '', 0]);
});

describe('the help', () => {
  const { isTTY, columns: before } = process.stdout;
  afterEach(() => void Object.assign(process.stdout, { isTTY, columns: before }));
  const helpOf = (name: string) => gymgenHere([...name.split(' '), '--help'], { cwd: tempFolder() });

  test.each(COMMANDS.map(({ name }) => name))('of %s fits the terminal', async (name) => {
    for (const columns of [50, 80, 120]) {
      Object.assign(process.stdout, { isTTY: true, columns });
      const { stdout } = await helpOf(name);
      const long = stdout.split('\n').filter((line) => line.length > columns && /\s/.test(line.trim()));
      expect(long).toEqual([]);
      expect(stdout).toContain('-h, --help');
    }
  });
});

describe('a failure of the machine is not a bug', () => {
  test('a current folder that was deleted', async () => {
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"';
    const { stdout, stderr, exitCode } = await builtCli().script([URL, 'root'], script, { cwd: tempFolder() });
    expect(stderr).toBe('error: current folder does not exist\n  fix: change to an existing folder');
    expect([stdout, exitCode]).toEqual(['', 2]);
  });

  test.skipIf(!existsSync('/dev/full')).each([['doctor'], ['--help'], ['doctor', '--json']])(
    'a full disk behind stdout: %s',
    async (...args) => {
      const { stderr, exitCode } = await builtCli().script(args, '"$0" "$@" > /dev/full', { cwd: tempFolder() });
      expect(stderr).toMatch(/^error: cannot write to standard output: .*ENOSPC.*\n {2}fix: free some space$/);
      expect(exitCode).toBe(2);
    },
  );

  test('a limit on the size of files', async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, 'rec.jsonl'), handRecording());
    const script = 'ulimit -f 1; "$0" "$@" | cat';
    const { stderr } = await builtCli().script(['rec.jsonl', 'root'], script, { cwd });
    expect(stderr).toMatch(/^error: cannot write: file too large for the limit/m);
    expect(stderr).not.toContain('bug in gymgen');
    expect(readdirSync(cwd)).toEqual(['rec.jsonl']);
  });

  test('a limit on open files', async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, 'rec.jsonl'), handRecording());
    const { stderr } = await builtCli().script(['rec.jsonl', 'root'], 'ulimit -n 24; "$0" "$@"', { cwd });
    expect(stderr).toMatch(/too many open files/);
    expect(stderr).not.toContain('bug in gymgen');
  });
});
