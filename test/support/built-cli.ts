import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa, type Options, type ResultPromise } from 'execa';
import ts from 'typescript';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

export interface Cli {
  (args: string[], options?: Options): ResultPromise<{ reject: false; encoding: 'utf8' }>;
  /** Its end of a pipe in a shell: `gymgen ARGS | REST`. */
  piped(args: string[], rest: string): ResultPromise<{ reject: false; encoding: 'utf8' }>;
}

/** Runs gymgen as a user does, in a process of its own. Made of the sources once a test file, so that no build is stale. */
export function builtCli(): Cli {
  let home: string;
  beforeAll(() => {
    home = build();
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  const command = (args: string[]) => [process.execPath, join(home, 'bin/gymgen.js'), ...args];
  const run = (args: string[], options: Options = {}) =>
    execa(command(args)[0] as string, command(args).slice(1), { ...options, reject: false });
  const piped = (args: string[], rest: string) =>
    execa('sh', ['-c', `"$0" "$@" | ${rest}`, ...command(args)], { reject: false });
  return Object.assign(run, { piped }) as Cli;
}

/** A folder that goes away with the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Type checks nothing, so that it is quick: `npm run types` does. */
function build(): string {
  const home = mkdtempSync(join(tmpdir(), 'gymgen-built-'));
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const sources = readdirSync(join(REPOSITORY, 'src'), { recursive: true, encoding: 'utf8' });
  for (const source of sources.filter((name) => name.endsWith('.ts'))) {
    const target = join(home, 'dist', source.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    const text = readFileSync(join(REPOSITORY, 'src', source), 'utf8');
    writeFileSync(target, ts.transpileModule(text, { compilerOptions }).outputText);
  }
  mkdirSync(join(home, 'bin'));
  copyFileSync(join(REPOSITORY, 'bin/gymgen.js'), join(home, 'bin/gymgen.js'));
  for (const name of ['package.json', 'node_modules', 'templates', 'fixtures'])
    symlinkSync(join(REPOSITORY, name), join(home, name));
  return home;
}
