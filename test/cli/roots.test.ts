// Messages about a Gym root that cannot be written, or that has nothing to do.

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { gymgenHere } from '../support/cli-here.js';
import { handRecording } from '../support/hand-recording.js';

let cwd: string;
beforeEach(() => {
  cwd = tempFolder();
  writeFileSync(join(cwd, 'rec.jsonl'), handRecording());
});

const run = (...args: string[]) => gymgenHere(args, { cwd });

test.skipIf(!existsSync('/proc/self'))(
  'a root where no folder can be created is refused, and does not hang',
  async () => {
    for (const root of ['/proc/x', '/proc/x/y/z']) {
      const { stderr, exitCode } = await builtCli()(['rec.jsonl', root], { cwd, timeout: 60_000 });
      expect(stderr).toMatch(/^error: cannot write: .*\n {2}at: {2}\/proc\/x.*\n {2}fix: /m);
      expect(exitCode).toBe(2);
    }
  },
);

describe('the resources_servers folder of a root', () => {
  test('is refused, with the right root', async () => {
    const { stderr, exitCode } = await run('rec.jsonl', 'gym/resources_servers');
    expect(stderr).toContain('is a resources_servers/ folder instead of the folder above it [root-nested]');
    expect(stderr).toContain(`write to '${join(cwd, 'gym')}`);
    expect(exitCode).toBe(2);
    expect(readdirSync(cwd)).toEqual(['rec.jsonl']);
  });

  test.each(['check', 'update'])('is refused by %s, with the right root', async (command) => {
    expect((await run('rec.jsonl', 'gym')).exitCode).toBe(0);
    const { stderr, exitCode } = await run(command, 'gym/resources_servers');
    expect(stderr).toContain(`fix: name the folder above it: ${join(cwd, 'gym')}`);
    expect(exitCode).toBe(2);
  });
});

test.each(['check', 'update'])('%s of a root without folders of gymgen shows how to write one', async (command) => {
  mkdirSync(join(cwd, 'empty'));
  for (const root of ['empty', 'none']) {
    const { stderr, exitCode } = await run(command, root);
    expect(stderr).toContain('error: gymgen wrote no folder in this Gym root');
    expect(stderr).toMatch(new RegExp(`fix: write a folder first: gymgen '?<source>'? ${root}\n`));
    expect(exitCode).toBe(2);
  }
});

test('a checkout of an old NeMo Gym is refused, with both versions', async () => {
  const gym = join(cwd, 'Gym');
  mkdirSync(join(gym, 'nemo_gym'), { recursive: true });
  writeFileSync(join(gym, 'pyproject.toml'), '[project]\nname = "nemo-gym"\n');
  writeFileSync(join(gym, 'nemo_gym/package_info.py'), 'MAJOR = 0\nMINOR = 5\nPATCH = 1\n');
  const { stderr, exitCode } = await run('rec.jsonl', 'Gym');
  expect(stderr).toContain('is a checkout of NeMo Gym 0.5.1, without environment_servers/; 0.7 or newer is needed');
  expect(exitCode).toBe(2);
  writeFileSync(join(gym, 'nemo_gym/package_info.py'), 'MAJOR = 0\nMINOR = 7\nPATCH = 0\n');
  mkdirSync(join(gym, 'environment_servers'));
  expect((await run('rec.jsonl', 'Gym')).exitCode).toBe(0);
});

test('a pyproject.toml that is not TOML is named as such', async () => {
  mkdirSync(join(cwd, 'gym'));
  writeFileSync(join(cwd, 'gym/pyproject.toml'), '[project\nname = "nemo-gym"\n');
  const { stderr, exitCode } = await run('rec.jsonl', 'gym');
  expect(stderr).toMatch(/its pyproject\.toml is not valid TOML: .*\(line 1\)/);
  expect(stderr).not.toContain("another project's");
  expect(exitCode).toBe(2);
});

test('.gymgen as a symlink is refused', async () => {
  mkdirSync(join(cwd, 'gym'));
  mkdirSync(join(cwd, 'elsewhere'));
  symlinkSync('../elsewhere', join(cwd, 'gym/.gymgen'));
  const { stderr, exitCode } = await run('rec.jsonl', 'gym');
  expect(stderr).toMatch(/symlink[\s\S]*at: {2}gym\/\.gymgen|at: {2}.*\.gymgen/);
  expect(exitCode).toBe(2);
  expect(readdirSync(join(cwd, 'elsewhere'))).toEqual([]);
});

describe('printed commands can be pasted into a shell', () => {
  test('with spaces in the root and in a split', async () => {
    writeFileSync(join(cwd, 'rec.jsonl'), handRecording({ split: 'a b' }));
    const { stderr } = await run('rec.jsonl', 'a root');
    expect(stderr).toContain(` play 'a root' --policy idle --limit 20\n`);
    const readme = readFileSync(join(cwd, 'a root/resources_servers/grid_v1/README.md'), 'utf8');
    expect(readme).toContain('  --input "resources_servers/grid_v1/data/a b.jsonl" \\\n');
  });
});

describe('a batch without sources is not a success', () => {
  test.each([
    ['nothing', ''],
    ['blank lines and comments', '\n# none\n  \n'],
    ['a byte order mark', '\ufeff'],
  ])('%s on standard input', async (_, input) => {
    for (const more of [[], ['--check'], ['--json', '--check']]) {
      const { stdout, stderr, exitCode } = await builtCli()(['batch', '-', '--root', 'r', ...more], { cwd, input });
      expect(stderr).toMatch(/^error: no sources to process\n {2}at: {2}standard input\n {2}fix: /);
      expect(exitCode).toBe(2);
      if (more.includes('--json')) expect(JSON.parse(String(stdout)).error.what).toBe('no sources to process');
    }
  });

  test.each(['', '# none\n', 'root: r\n', 'root: r\nsources: []\n', 'root: r\nsources:\n', '[]', "sources: ['']\n"])(
    'a file with %j',
    async (text) => {
      writeFileSync(join(cwd, 'b.yaml'), text);
      const { stderr, exitCode } = await run('batch', 'b.yaml', '--root', 'r');
      expect(stderr).toContain('error: invalid batch file');
      expect(exitCode).toBe(2);
    },
  );

  test.each(['\ufeff', ''])('a batch file with the byte order mark %j is read', async (mark) => {
    writeFileSync(join(cwd, 'b.yaml'), `${mark}root: r\nsources: [rec.jsonl]\n`);
    expect((await run('batch', 'b.yaml')).exitCode).toBe(0);
  });

  test('a list with a byte order mark is read', async () => {
    const args = ['batch', '-', '--root', 'r'];
    expect((await builtCli()(args, { cwd, input: '\ufeffrec.jsonl\r\n' })).exitCode).toBe(0);
  });

  test('a list that is not UTF-8 is refused', async () => {
    const input = Buffer.from('rec.jsonl\n\xfc\n', 'latin1');
    const { stderr, exitCode } = await builtCli()(['batch', '-', '--root', 'r'], { cwd, input });
    expect(stderr).toContain('error: line is not UTF-8\n  at:  standard input:2\n');
    expect(exitCode).toBe(2);
  });

  test('a batch file may have a hundred aliases', async () => {
    const sources = Array.from({ length: 120 }, (_, at) => `  - { source: rec.jsonl, name: e${at}, limit: *n }\n`);
    writeFileSync(join(cwd, 'b.yaml'), `root: r\ndefaults: { limit: &n 1 }\nsources:\n${sources.join('')}`);
    const { stdout, exitCode } = await run('batch', 'b.yaml', '--check', '--json');
    expect(JSON.parse(stdout).jobs).toHaveLength(120);
    expect(exitCode).toBe(1);
  });
});
