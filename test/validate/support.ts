import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { environment } from '../../scripts/toolchain.mjs';
import { type Judged, type ValidateRequest, validate } from '../../src/operations/validate.js';
import { gymPython } from '../gym/gym-python.js';

export const FIXTURES = fileURLToPath(new URL('../../fixtures/platform/', import.meta.url));

/** Makes the broken packages and datasets, all or some, and the good ones, in a new folder. The caller removes it. */
export function makeBroken(...names: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-platform-'));
  const { status, stderr } = spawnSync(gymPython(), [join(FIXTURES, 'make_broken.py'), folder, ...names], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return folder;
}

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-validate-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of a folder, with files that a test adds or replaces. */
export function copyOf(source: string, files: Readonly<Record<string, string | Buffer>> = {}): string {
  const folder = join(tempFolder(), 'copy');
  cpSync(source, folder, { recursive: true, verbatimSymlinks: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** uv and Python are found as in `npm test`, wherever the tests were started from. */
export function withToolchain(): void {
  vi.stubEnv('PATH', environment().PATH);
}

/** Judges one target. */
export async function judged(target: string, more: Partial<ValidateRequest> = {}): Promise<Judged> {
  const report = await validate({ targets: [target], ...more }, () => {}, new AbortController().signal);
  return report.targets[0] as Judged;
}

/** Findings as one line each: `error manifest-key nemo-environment.yaml:7`. */
export function linesOf({ findings }: Pick<Judged, 'findings'>): string[] {
  return findings.map(({ severity, code, at: { file, line } }) => {
    return `${severity} ${code} ${file}${line === undefined ? '' : `:${line}`}`;
  });
}
