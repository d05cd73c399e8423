import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, type Options } from 'execa';
import { afterAll } from 'vitest';
import { gymgenBin } from './toolchain.js';

/** A folder that is removed after the test file. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-e2e-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const OPTIONS = { reject: false, stripFinalNewline: false, stdin: 'ignore' } as const satisfies Options;

/** The environment of a user's shell without special settings. */
export function plainEnv(more: Record<string, string> = {}): Record<string, string | undefined> {
  const { NO_COLOR: _, FORCE_COLOR: __, ...env } = process.env;
  return { ...env, ...more };
}

/** Starts `gymgen` as users do. @param cwd where it is started */
export function startGymgen(args: string[], env: Record<string, string> = {}, cwd = process.cwd()) {
  return execa(process.execPath, [gymgenBin(), ...args], { ...OPTIONS, extendEnv: false, env: plainEnv(env), cwd });
}

/** Runs `gymgen` to its end. */
export async function gymgen(...args: string[]) {
  return startGymgen(args);
}

/** Runs `gymgen`. If it fails, throws its output. */
export async function mustGymgen(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await gymgen(...args);
  if (exitCode !== 0) throw new Error(`gymgen ${args.join(' ')}\nended with ${exitCode}:\n${stdout}${stderr}`);
  return stdout;
}

export const folderOf = (gymRoot: string, name: string) => join(gymRoot, 'resources_servers', name);

/** The text of each file below a folder, and its modification time, by its path. */
export function snapshot(folder: string): { texts: Record<string, string>; times: Record<string, number> } {
  const paths = (readdirSync(folder, { recursive: true }) as string[]).sort();
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  return {
    texts: Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')])),
    times: Object.fromEntries(['.', ...paths].map((path) => [path, statSync(join(folder, path)).mtimeMs])),
  };
}

export function copyFolder(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
}
