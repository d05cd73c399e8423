import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa, type Options, type ResultPromise } from 'execa';
import { onTestFinished } from 'vitest';

const GYMGEN = fileURLToPath(new URL('../../bin/gymgen.cjs', import.meta.url));

export interface Cli {
  (args: string[], options?: Options): ResultPromise<{ reject: false; encoding: 'utf8' }>;
  /** Runs gymgen at the start of a shell pipe: `gymgen ARGS | REST`. */
  piped(args: string[], rest: string): ResultPromise<{ reject: false; encoding: 'utf8' }>;
  /** Runs gymgen from an `sh` script, in which `"$0" "$@"` is gymgen with its arguments. */
  script(args: string[], text: string, options?: Options): ResultPromise<{ reject: false; encoding: 'utf8' }>;
}

/** Runs gymgen as a user does, in its own process. */
export function builtCli(): Cli {
  const run = (args: string[], options: Options = {}) =>
    execa(process.execPath, [GYMGEN, ...args], { ...options, reject: false });
  const script = (args: string[], text: string, options: Options = {}) =>
    execa('sh', ['-c', text, process.execPath, GYMGEN, ...args], { ...options, reject: false });
  const piped = (args: string[], rest: string) => script(args, `"$0" "$@" | ${rest}`);
  return Object.assign(run, { piped, script }) as Cli;
}

/** A folder that is removed after the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
