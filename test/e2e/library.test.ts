// The library in an empty project: from the packed tarball, with strict type checks, and without packages that npm would not
// install.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { days } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';
import { plainEnv, tempFolder } from './support/gymgen.js';
import { REPOSITORY } from './support/toolchain.js';

const project = tempFolder();
const installed = join(project, 'node_modules/gymgen');

/** The examples of the docs, in their order. */
const EXAMPLES = readFileSync(join(REPOSITORY, 'docs/api.md'), 'utf8')
  .split('\n```')
  .flatMap((block) => (/^ts\nimport /.test(block) ? [block.slice('ts\n'.length)] : []));

/** What the examples print. */
const PRINTED = [
  '',
  "unchanged [ { split: 'train', rows: 5 }, { split: 'eval', rows: 3 } ]",
  expect.stringContaining('train: 7 of 7 tasks'),
  'same grid_v1 0',
  'differs',
  'grid_v1 unchanged',
  '',
  'train 5\neval 3\n1 0',
  expect.stringContaining('small wrote'),
];

const PROGRAM = `\
import { check, type Progress, type Reporter, UserError, write, type WriteResult } from 'gymgen';
import lock from 'gymgen/schemas/lock.json' with { type: 'json' };
import metadata from 'gymgen/package.json' with { type: 'json' };

class Counter implements Reporter {
  readonly phases: string[] = [];
  progress(event: Progress): void {
    if (!this.phases.includes(event.phase)) this.phases.push(event.phase);
  }
  warn(text: string): void {
    console.error(text);
  }
}

const counter = new Counter();
const written: WriteResult = await write('URL', 'own-root', { limit: 5, reporter: counter, toolTimeout: 1.5 });
const { status } = await check('own-root');
const codes: string[] = [];
try {
  await write('http://127.0.0.1:9', 'own-root');
} catch (error) {
  if (error instanceof UserError) codes.push(error.code, error.where ?? '', error.fix ?? '', String(error.exitCode));
}
const rows = written.rows.map(({ rows }) => rows);
console.log(JSON.stringify({ rows, status, codes, phases: counter.phases, title: lock.title, name: metadata.name }));
`;

/** Each of these lines is a mistake. */
const MISTAKES = `\
import { write } from 'gymgen';
await write('a', 'b', { limitt: 5 });
await write('a', 'b', { limit: 'all' });
await write('a', 'b', { probeTurns: 'last' });
await write('a', 'b', { keepPrompts: true });
await write('a');
`;

const tsc = (...args: string[]) =>
  execa(process.execPath, [join(REPOSITORY, 'node_modules/typescript/bin/tsc'), ...args], {
    cwd: project,
    reject: false,
  });

const save = (name: string, text: string) => writeFileSync(join(project, name), text);

beforeAll(async () => {
  mkdirSync(installed, { recursive: true });
  await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', project], { cwd: REPOSITORY });
  const tarball = readdirSync(project).find((name) => name.endsWith('.tgz')) ?? '';
  await execa('tar', ['xzf', join(project, tarball), '--strip-components=1', '-C', installed]);
  save('package.json', '{ "private": true, "type": "module" }');
  const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, skipLibCheck: false };
  const options = { ...compilerOptions, exactOptionalPropertyTypes: true, resolveJsonModule: true };
  save('tsconfig.json', JSON.stringify({ compilerOptions: options }));
});

test('npm installs nothing with gymgen', () => {
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  );
  expect([dependencies, optionalDependencies, peerDependencies]).toEqual([undefined, undefined, undefined]);
});

describe('a TypeScript program', () => {
  test('compiles strictly and runs, and so do the examples of docs/api.md', async () => {
    const server = await StandIn.start({ splits: { train: days(7), eval: days(3) } });
    const programs = [...EXAMPLES, PROGRAM];
    for (const [at, text] of programs.entries()) {
      save(
        `program-${at}.mts`,
        text.replaceAll('http://127.0.0.1:8000', server.url).replaceAll("'URL'", `'${server.url}'`),
      );
    }
    expect(await tsc()).toMatchObject({ stdout: '', exitCode: 0 });
    const outputs: string[] = [];
    for (const at of programs.keys()) {
      const env = plainEnv({ XDG_STATE_HOME: join(project, 'state') });
      const { stdout } = await execa(process.execPath, [`program-${at}.mjs`], { cwd: project, extendEnv: false, env });
      outputs.push(stdout);
    }
    expect(outputs.slice(0, -1)).toEqual(PRINTED);
    expect(JSON.parse(outputs.at(-1) ?? '')).toEqual({
      rows: [5, 3],
      status: 'same',
      codes: ['unreachable', expect.stringContaining('127.0.0.1:9'), expect.stringContaining('start the server'), '2'],
      phases: expect.arrayContaining(['connect', 'read']),
      title: 'gymgen.lock.json',
      name: 'gymgen',
    });
  });

  test('does not compile with mistakes', async () => {
    save('mistakes.mts', MISTAKES);
    const { stdout } = await tsc('--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', 'mistakes.mts');
    const lines = [...stdout.matchAll(/^mistakes\.mts\((\d+),/gm)].map(([, line]) => Number(line));
    expect(lines).toEqual([2, 3, 4, 5, 6]);
  });
});

test('an editor shows the docs of write and of its options', () => {
  const file = join(project, 'hover.mts');
  const text = "import { write } from 'gymgen';\nawait write('a', 'b', { limit: 5 });\n";
  save('hover.mts', text);
  const options: ts.CompilerOptions = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true };
  const service = ts.createLanguageService({
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => project,
  });
  const hover = (word: string) => {
    const info = service.getQuickInfoAtPosition(file, text.lastIndexOf(word));
    return ts.displayPartsToString(info?.documentation);
  };
  expect(hover('write(')).toContain('Writes the resources server for a source into a Gym root');
  expect(hover('limit')).toBe('Maximum number of rows per split (default: all)');
});
