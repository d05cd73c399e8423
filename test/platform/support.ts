import { cpSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type PackageReport, packageServers } from '../../src/operations/package.js';
import type { PackageRequest } from '../../src/operations/package-request.js';

const ROOT = fileURLToPath(new URL('../../fixtures/roots/', import.meta.url));

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-package-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of the Gym root in fixtures/roots, which has the servers gridsim_v1 and everything. */
export function gymRoot(): string {
  const root = join(tempFolder(), 'root');
  cpSync(join(ROOT, 'resources_servers'), join(root, 'resources_servers'), { recursive: true });
  return root;
}

export const serverOf = (root: string, name = 'gridsim_v1') => join(root, 'resources_servers', name);

/** A request for gridsim_v1 as native-v1, with what a test changes. */
export function requestFor(root: string, more: Partial<PackageRequest> = {}): PackageRequest {
  return {
    gymRoot: root,
    names: ['gridsim_v1'],
    folder: join(root, '../out'),
    format: 'native-v1',
    target: 'grpo',
    carry: [],
    urlIsReachable: true,
    platform: 'linux/amd64',
    pin: [],
    maxTokens: 8192,
    workspace: 'default',
    isDryRun: false,
    force: false,
    ...more,
  };
}

export function packaged(root: string, more: Partial<PackageRequest> = {}): Promise<PackageReport> {
  const reporter = { warn: () => {}, progress: () => {} };
  return packageServers(requestFor(root, more), reporter, new AbortController().signal);
}

/** The content of each file below a folder, by its path. */
export function filesIn(folder: string): Record<string, string> {
  const paths = (readdirSync(folder, { recursive: true }) as string[]).sort();
  const files = paths.filter((path) => lstatSync(join(folder, path)).isFile());
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'latin1')]));
}

export const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n').slice(0, -1);
