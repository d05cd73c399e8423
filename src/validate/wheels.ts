import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  type Entry,
  GLIBC,
  type PackagePlatform,
  PLATFORMS,
  PYTHON,
  type ServerFolder,
  WHEELS,
  type Wheel,
} from '../rules/index.js';
import { lockedRequirements } from '../source/index.js';
import { reasonOf, type Uv } from './uv.js';

const Answer = z.object({
  wheels: z.array(
    z.object({
      file: z.string(),
      project: z.string().optional(),
      version: z.string().optional(),
      modules: z.array(z.string()).optional(),
      faults: z.array(z.object({ code: z.string(), problem: z.string() })),
    }),
  ),
  sources: z.array(z.object({ path: z.string(), line: z.number().nullable(), problem: z.string() })),
});

/** A Python file that cannot be parsed. */
export interface SourceFault {
  file: string;
  line: number | undefined;
  problem: string;
}

export interface Read {
  wheels: Wheel[];
  sources: SourceFault[];
}

const PROGRAM = fileURLToPath(new URL('../../templates/wheels/read_wheels.py', import.meta.url));
/** An older Python cannot parse every file that the Python of the image can. */
const READER = '>=3.13';
/** Upper bound on the Python files that are parsed. */
const MOST_SOURCES = 2000;

/**
 * Reads wheels and parses Python files with one Python program, which runs none of their code.
 * @param files wheels and Python files, as paths below the root
 * @returns the reason if there is no Python, or the package that it needs
 */
export async function readFiles(
  uv: Uv,
  root: string,
  { wheels, sources }: { wheels: readonly string[]; sources: readonly string[] },
  platform: PackagePlatform,
): Promise<Read | string> {
  const absolute = (files: readonly string[]) => files.map((file) => join(root, file));
  const image = { arch: PLATFORMS[platform], python: PYTHON, glibc: GLIBC };
  const input = JSON.stringify({ wheels: absolute(wheels), sources: absolute(sources), ...image });
  const args = ['run', '--no-config', '--no-project', '--isolated', '--no-build', '--quiet', '--python', READER];
  const needs = ['--with-requirements', lockedRequirements('packaging')];
  const run = (more: string[], online: boolean) =>
    uv.run([...args, ...more, ...needs, 'python', '-I', PROGRAM], { input, online });
  const offline = await run(['--offline'], false);
  const { isDone, stdout, stderr } = offline.isDone ? offline : await run([], true);
  const answer = isDone ? Answer.safeParse(parsed(stdout)) : undefined;
  if (!answer?.success) return hasNoPython(stderr) ? NO_PYTHON : reasonOf(stderr, [uv.folder, root]);
  return {
    wheels: answer.data.wheels as Wheel[],
    sources: answer.data.sources.map(({ path, line, problem }) => ({
      file: path.slice(root.length + 1),
      line: line ?? undefined,
      problem,
    })),
  };
}

const NO_PYTHON = 'no Python 3.13 or newer found';

function hasNoPython(stderr: string): boolean {
  return /\bNo interpreter found\b/i.test(stderr);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The wheels of a package. */
export function wheelFiles(entries: readonly Entry[]): string[] {
  return entries
    .filter(({ path, kind }) => kind === 'file' && path.startsWith(`${WHEELS}/`) && path.endsWith('.whl'))
    .map(({ path }) => path)
    .filter((path) => path.split('/').length === 2);
}

/** The Python files at the top of servers' folders: the programs that Gym starts, and modules beside them. */
export function sourceFiles(servers: readonly ServerFolder[]): string[] {
  return servers
    .flatMap(({ path, files }) => [...files].filter((name) => name.endsWith('.py')).map((name) => `${path}/${name}`))
    .slice(0, MOST_SOURCES);
}
