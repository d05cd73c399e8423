import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import v8 from 'node:v8';
import { beforeEach, describe, expect, test } from 'vitest';
import { CodeCache } from '../../src/cli/code-cache.js';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { StandIn } from '../support/stand-in.js';

let [source, folder] = ['', ''];
beforeEach(() => {
  [source, folder] = [tempFolder(), join(tempFolder(), 'deep', 'code')];
});

/** A file of the program, and what it exports. */
function file(name: string, text: string): string {
  writeFileSync(join(source, name), text);
  return join(source, name);
}

/** One run: what the file exports, and then the cache is saved. */
function run(path: string): unknown {
  const cache = new CodeCache(folder);
  const exported = cache.load(path);
  cache.save();
  return exported;
}

/** Each entry, and which file on the disk it is: another one once it was written again. */
function entries(at = folder): Record<string, number> {
  const files = readdirSync(at, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.cjs'));
  return Object.fromEntries(files.map((path) => [path, statSync(join(at, path)).ino]));
}
const only = () => join(folder, Object.keys(entries())[0] as string);

describe('files', () => {
  test('are loaded once each, with what they require beside them and of Node', () => {
    file(
      'b.cjs',
      "exports.loads = (globalThis.loads ?? 0) + 1; globalThis.loads = exports.loads; exports.a = require('./a.cjs');",
    );
    const a = file(
      'a.cjs',
      "exports.first = require('./b.cjs'); exports.again = require('./b.cjs').loads; exports.sep = require('node:path').sep;",
    );
    const exported = run(a) as Record<string, unknown>;
    expect(exported).toMatchObject({ first: { loads: 1 }, again: 1, sep: '/' });
    expect((exported.first as { a: unknown }).a).toBe(exported);
  });

  test('know their own path', () => {
    const a = file('a.cjs', 'exports.path = __filename;');
    expect(run(a)).toEqual({ path: a });
  });
});

describe('what was compiled', () => {
  test('is kept, and taken as it is by the next run', () => {
    const a = file('a.cjs', 'exports.sum = (a, b) => a + b; exports.sum(1, 2);');
    run(a);
    const kept = entries();
    expect(Object.keys(kept)).toHaveLength(1);
    expect((run(a) as { sum: (a: number, b: number) => number }).sum(2, 3)).toBe(5);
    expect(entries()).toEqual(kept);
  });

  test('of a file that is another now, though as long, is not taken', () => {
    const a = file('a.cjs', 'exports.value = 1;');
    run(a);
    file('a.cjs', 'exports.value = 2;');
    expect([run(a), run(a)]).toEqual([{ value: 2 }, { value: 2 }]);
  });

  test.each([
    ['cut off', (entry: string) => truncateSync(entry, statSync(entry).size - 8)],
    ['empty', (entry: string) => truncateSync(entry, 0)],
    [
      'damaged',
      (entry: string) =>
        writeFileSync(
          entry,
          readFileSync(entry).map((byte, at) => (at % 64 === 50 ? ~byte : byte)),
        ),
    ],
    [
      'not readable',
      (entry: string) => {
        truncateSync(entry, 0);
        writeFileSync(entry, 'x');
      },
    ],
  ])('is made again where it is %s', (_, damage) => {
    const a = file('a.cjs', 'exports.list = [1, 2, 3].map((x) => x * 2);');
    run(a);
    const whole = readFileSync(only());
    damage(only());
    expect(run(a)).toEqual({ list: [2, 4, 6] });
    expect(readFileSync(only()).length).toBe(whole.length);
  });

  test.each([
    ['a pipe', (entry: string) => void execFileSync('mkfifo', [entry])],
    ['without end', (entry: string) => symlinkSync('/dev/zero', entry)],
    ['a folder', (entry: string) => mkdirSync(entry)],
    [
      'of a gigabyte',
      (entry: string) => {
        writeFileSync(entry, '');
        truncateSync(entry, 2 ** 30);
      },
    ],
  ])('is made again where its entry is %s', (_, put) => {
    const a = file('a.cjs', 'exports.value = 1;');
    run(a);
    const entry = only();
    rmSync(entry);
    put(entry);
    expect(run(a)).toEqual({ value: 1 });
  });

  test('is of one file, and not of its copy elsewhere, which would be named in its stacks', () => {
    const text = "exports.stack = () => new Error('here').stack;";
    run(file('a.cjs', text));
    source = tempFolder();
    const copy = file('a.cjs', text);
    expect((run(copy) as { stack: () => string }).stack()).toContain(copy);
  });

  test('is not kept, and no failure, where nothing can be written', () => {
    mkdirSync(join(folder, '..'), { recursive: true });
    writeFileSync(folder, 'a file in the way');
    expect(run(file('a.cjs', 'exports.value = 1;'))).toEqual({ value: 1 });
    expect(readFileSync(folder, 'utf8')).toBe('a file in the way');
  });

  test('is not kept where flags of V8 have changed, which it is only good for', () => {
    const cache = new CodeCache(folder);
    cache.load(file('a.cjs', 'exports.value = 1;'));
    v8.setFlagsFromString('--semi-space-growth-factor=5');
    try {
      cache.save();
      expect(cache.load(file('b.cjs', 'exports.value = 2;'))).toEqual({ value: 2 });
      cache.save();
    } finally {
      v8.setFlagsFromString('--semi-space-growth-factor=2');
    }
    expect(() => readdirSync(folder)).toThrow('ENOENT');
    cache.save();
    expect(Object.keys(entries())).toEqual([expect.stringContaining('a.cjs')]);
  });
});

describe('gymgen', () => {
  test('keeps what it compiled in its cache, and compiles nothing in the next run of the same command', async () => {
    const server = await StandIn.start();
    const cache = tempFolder();
    const gymgen = (root: string) => builtCli()([server.url, join(source, root)], { env: { XDG_CACHE_HOME: cache } });
    expect((await gymgen('one')).exitCode).toBe(0);
    const kept = entries(join(cache, 'gymgen', 'code'));
    expect(Object.keys(kept)).toEqual(expect.arrayContaining([expect.stringMatching(/^v\d.*main\.cjs$/)]));
    expect((await gymgen('other')).exitCode).toBe(0);
    expect(entries(join(cache, 'gymgen', 'code'))).toEqual(kept);
  });

  test('runs where nothing can be kept', async () => {
    const { exitCode, stderr } = await builtCli()(['--version'], { env: { XDG_CACHE_HOME: '/dev/null' } });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });
});
