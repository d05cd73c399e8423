import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../model.js';
import { readWhole, type WholeFile, type WholeFolder } from '../output/index.js';
import type { SetupReporter } from '../reporter.js';
import { cleanOnForcedExit } from '../shutdown.js';
import { type ClosureParts, closureOf, type UvPolicy } from './closure/index.js';
import type { OwnWheel } from './types.js';

/** Where the wheels are in a package, and the list of their versions and hashes beside it. */
export const WHEELS = 'environment/wheels/';
export const CLOSURE = 'closure.txt';

export interface WheelsRequest extends Omit<ClosureParts, 'known' | 'work'> {
  /** The package's folder, absolute. It may have the same wheels already. */
  folder: string;
}

export interface Wheels {
  files: WholeFile[];
  /** What decides the versions, for the record of the package. */
  input: JsonValue;
  /** Removes temporary files, which must exist until the package is written. */
  close(): Promise<void>;
}

/**
 * The wheels of a package, and its closure.txt. The wheels of the existing package are reused, unless an input that
 * decides the versions has changed.
 * @throws UserError if wheels cannot be found, or are missing
 */
export async function wheelsOf(
  { folder, ...parts }: WheelsRequest,
  reporter: SetupReporter,
  signal: AbortSignal,
): Promise<Wheels> {
  const input = inputOf(parts);
  const before = await readWhole(folder);
  const isKnown = isDeepStrictEqual(before?.record.wheels, input) && (before?.isUnedited(CLOSURE) ?? false);
  const known = isKnown ? await readFile(path.join(folder, CLOSURE), 'utf8') : undefined;
  if (before && known !== undefined && parts.wheelhouse === undefined) {
    const files = existingWheels(before, parts.own);
    if (files.every((file) => before.isUnedited(file))) {
      const copies = files.map((file) => ({ path: file, copy: path.join(folder, file) }));
      return {
        files: [...copies, ...ownFiles(parts.own), { path: CLOSURE, content: known }],
        input,
        close: async () => {},
      };
    }
  }
  const work = await mkdtemp(path.join(tmpdir(), 'gymgen-wheels-'));
  const release = cleanOnForcedExit(() => rmSync(work, { recursive: true, force: true }));
  const close = async () => {
    await rm(work, { recursive: true, force: true });
    release();
  };
  try {
    const { text, wheels } = await closureOf({ ...parts, known, work }, reporter, signal);
    const copies = wheels.map((wheel) => ({ path: WHEELS + path.basename(wheel), copy: wheel }));
    return { files: [...copies, ...ownFiles(parts.own), { path: CLOSURE, content: text }], input, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function ownFiles(own: readonly OwnWheel[]): WholeFile[] {
  return own.map(({ file, content }) => ({ path: WHEELS + file, content }));
}

function existingWheels({ record }: WholeFolder, own: readonly OwnWheel[]): string[] {
  const names = new Set(own.map(({ file }) => WHEELS + file));
  return Object.keys(record.files).filter((file) => file.startsWith(WHEELS) && !names.has(file));
}

function inputOf({ requirements, platform, isAdapter, policy, wheelhouse }: Omit<WheelsRequest, 'folder'>): JsonValue {
  return {
    platform,
    requirements: [...requirements],
    adapter: isAdapter,
    policy: policy === undefined ? null : digestOf(policy),
    wheelhouse: wheelhouse !== undefined,
  };
}

function digestOf(policy: UvPolicy): string {
  return createHash('sha256').update(JSON.stringify(policy)).digest('hex').slice(0, 16);
}
