import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { runProgram } from '../source/index.js';

/** The output of a program, and whether it exited with 0. */
export interface UvResult {
  isDone: boolean;
  stdout: string;
  stderr: string;
}

/** uv for untrusted input: without its own config, without credentials, in an empty folder. */
export interface Uv {
  /** The empty folder, which may be written to. */
  folder: string;
  /**
   * Runs uv.
   * @param online passes the proxies and certificates of the environment on, to fetch what gymgen itself needs
   */
  run(args: string[], options?: { input?: string; online?: boolean }): Promise<UvResult>;
}

/** Variables without which uv finds no program, no Python, or no temporary folder. */
const KEPT = ['PATH', 'TMPDIR', 'LANG', 'SYSTEMROOT', 'PYENV_ROOT'];
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const CERTIFICATES = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'UV_SYSTEM_CERTS', 'UV_NATIVE_TLS'];
const ONLINE = [...PROXIES, ...CERTIFICATES];

/** Runs work with an isolated uv, and removes its folder at the end. @param uv path of the program */
export async function withUv<T>(uv: string, signal: AbortSignal, work: (uv: Uv) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'gymgen-validate-'));
  try {
    return await work({
      folder,
      run: async (args, { input = '', online = false } = {}) => {
        const env = environment(folder, online);
        const options = { cwd: folder, env, extendEnv: false, input, reject: false, signal };
        const { exitCode, stdout, stderr } = await runProgram(uv, args, options);
        signal.throwIfAborted();
        return { isDone: exitCode === 0, stdout: String(stdout ?? ''), stderr: String(stderr ?? '') };
      },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Variables that every program needs, with an empty home folder, so that there is no .netrc. */
export function minimalEnvironment(home: string, more: readonly string[] = []): Record<string, string> {
  const names = [...KEPT, ...more];
  const kept = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { ...Object.fromEntries(kept), HOME: home };
}

/** uv's cache and Pythons are those of the user. */
function environment(folder: string, online: boolean): Record<string, string> {
  const { env } = process;
  const below = (variable: string, ...parts: string[]) => {
    const base = env[variable] ?? '';
    return isAbsolute(base) ? base : join(homeFolder(), ...parts); // as the XDG base directory specification has it
  };
  return {
    ...minimalEnvironment(folder, online ? ONLINE.flatMap((name) => [name, name.toLowerCase()]) : []),
    UV_CACHE_DIR: env.UV_CACHE_DIR ?? join(below('XDG_CACHE_HOME', '.cache'), 'uv'),
    UV_PYTHON_INSTALL_DIR: env.UV_PYTHON_INSTALL_DIR ?? join(below('XDG_DATA_HOME', '.local', 'share'), 'uv', 'python'),
    UV_PYTHON_DOWNLOADS: 'never',
    UV_NO_PROGRESS: '1',
    NO_COLOR: '1',
  };
}

/** The user's home folder; `/` for a user that the system does not know. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}

/** Longest reason of uv in a finding, in characters. */
const LONGEST = 500;

/** uv's message, on one line, without the paths of this machine. @param paths to leave out */
export function reasonOf(stderr: string, paths: readonly string[]): string {
  let text = stderr
    .split('\n')
    .filter((line) => !/^(?:warning|hint|Using|Resolved|Downloading)/i.test(line.trim()))
    .join(' ')
    .replace(/[×╰─▶│├╭]/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^\s*(?:error: )?/, '')
    .trim();
  for (const path of paths) text = text.replaceAll(`${path}/`, '').replaceAll(path, '');
  const characters = [...text];
  if (characters.length === 0) return 'uv failed';
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : text;
}
