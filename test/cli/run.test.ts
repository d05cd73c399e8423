// Each test waits for a state of the command, never for a fixed time.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { days } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

const gymgen = builtCli();

const SIGNALS = [
  ['SIGINT', 130, 'interrupted'],
  ['SIGTERM', 143, 'terminated'],
  ['SIGHUP', 129, 'terminal closed'],
] as const;

/** A server that reports when its second page is requested, and never answers that request. */
async function endless(asked: () => void): Promise<StandIn> {
  return StandIn.start({
    mayLeak: true,
    splits: { train: days(2000, () => ({ toolset: 'a' })) },
    http: ({ path, body }) => {
      const start = (body as { start?: number } | undefined)?.start ?? 0;
      if (!path.endsWith('/task_range') || start === 0) return undefined;
      asked();
      return () => {};
    },
  });
}

describe.each(SIGNALS)('%s', (signal, code, what) => {
  test(`ends a write with ${code}, and leaves no files`, async () => {
    const folder = tempFolder();
    const server = await endless(() => running.kill(signal));
    const running = gymgen([server.url, join(folder, 'root')]);
    const { exitCode, stdout, stderr } = await running;
    expect([exitCode, stdout, stderr]).toEqual([code, '', `error: ${what}; nothing was written`]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test(`ends a batch that waits for standard input with ${code}`, async () => {
    const running = gymgen(['batch', '-', '--root', 'root'], { cwd: tempFolder(), stdin: 'pipe' });
    await until(() => listens(running.pid as number), 'its listener');
    running.kill(signal);
    const { exitCode, stderr } = await running;
    expect([exitCode, stderr]).toEqual([code, `error: ${what}; nothing was written`]);
  });
});

/** Whether gymgen listens for signals in a process. Node itself listens for SIGINT and SIGTERM, but not for SIGHUP. */
function listens(pid: number): boolean {
  try {
    const status = execFileSync('cat', [`/proc/${pid}/status`], { encoding: 'utf8' });
    return (BigInt(`0x${/SigCgt:\s*(\w+)/.exec(status)?.[1] ?? '0'}`) & 1n) !== 0n;
  } catch {
    return false;
  }
}

async function until(condition: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`no sign of ${what}`);
}

/** Code that runs in gymgen's process before gymgen's own code. */
function preloaded(code: string): { env: Record<string, string> } {
  const file = join(tempFolder(), 'preload.cjs');
  writeFileSync(file, `const fs = require('node:fs/promises');\n${code}`);
  return { env: { NODE_OPTIONS: `--require ${file}` } };
}

test('work that does not end is cut off: the error is printed, and no files are left', async () => {
  const folder = tempFolder();
  const server = await endless(() => running.kill('SIGTERM'));
  const hang = `
    const { rm } = fs;
    let isEnding = false;
    process.once('SIGTERM', () => (isEnding = true));
    fs.rm = (...args) => (isEnding ? new Promise(() => setInterval(() => {}, 1000)) : rm(...args));
  `;
  const running = gymgen([server.url, join(folder, 'root')], preloaded(hang));
  const { exitCode, stderr } = await running;
  expect([exitCode, stderr]).toEqual([143, 'error: terminated; nothing was written']);
  expect(readdirSync(folder)).toEqual([]);
});

test('gymgen waits for a commit, and names it', async () => {
  const root = join(tempFolder(), 'root');
  const server = await StandIn.start({ mayLeak: true });
  const slow = `
    const { rename } = fs;
    fs.rename = async (...args) => {
      console.error('renaming');
      await new Promise((resolve) => setTimeout(resolve, 3000));
      return rename(...args);
    };
  `;
  const running = gymgen([server.url, root], preloaded(slow));
  running.stderr?.once('data', () => running.kill('SIGINT'));
  const { exitCode, stderr } = await running;
  expect(stderr.split('\n')).toEqual([
    'renaming',
    'waiting for the commit of grid_v1 to finish; press Ctrl-C again to end at once',
    'error: interrupted; these paths were already written',
    expect.stringMatching(/^ {2}- .*resources_servers\/grid_v1$/),
  ]);
  expect(exitCode).toBe(130);
  expect(readdirSync(root)).toEqual(['resources_servers']);
  expect(readdirSync(join(root, 'resources_servers', 'grid_v1'))).toContain('gymgen.lock.json');
});

/**
 * A bundle, and a script that serves it in place of Python. The script announces a URL; the test decides how it ends.
 */
function bundleServedBy(url: string, atEnd: string): string[] {
  const folder = tempFolder();
  const python = join(folder, 'python');
  const serve = `
    if (process.argv.includes('-c')) process.exit(0);
    console.log(JSON.stringify({ url: '${url}', framework: '0.9.0' }));
    process.on('SIGTERM', () => {});
    process.stdin.resume().on('end', () => { ${atEnd} });
    setInterval(() => {}, 1000);
  `;
  writeFileSync(python, `#!${process.execPath}\n${serve}`, { mode: 0o755 });
  const bundle = join(folder, 'slow-v1');
  mkdirSync(join(bundle, 'envs'), { recursive: true });
  return [bundle, join(folder, 'root'), '--python', python];
}

test('gymgen waits for a server to end, and names it', async () => {
  const server = await endless(() => running.kill('SIGTERM'));
  const running = gymgen(bundleServedBy(server.url, 'setTimeout(() => process.exit(0), 2500)'));
  const { exitCode, stderr } = await running;
  expect(stderr).toMatch(
    /^waiting for the server of the bundle slow-v1 to end; press Ctrl-C again to end at once\nerror: terminated; nothing was written$/m,
  );
  expect(exitCode).toBe(143);
});

test('signals that follow at once, as npm passes them on, are one', async () => {
  const folder = tempFolder();
  const server = await endless(() => {
    for (let times = 0; times < 3; times += 1) running.kill('SIGINT');
  });
  const running = gymgen([server.url, join(folder, 'root')]);
  const { exitCode, stderr } = await running;
  expect([exitCode, stderr]).toEqual([130, 'error: interrupted; nothing was written']);
  expect(readdirSync(folder)).toEqual([]);
});

test('a second signal ends gymgen at once', async () => {
  const server = await endless(() => running.kill('SIGINT'));
  const running = gymgen(bundleServedBy(server.url, 'setTimeout(() => process.exit(0), 4000)'));
  running.stderr?.on('data', (text) => {
    if (String(text).includes('waiting for')) running.kill('SIGTERM');
  });
  const { signal, stderr } = await running;
  expect(signal).toBe('SIGTERM');
  expect(stderr).not.toMatch(/error/);
});
