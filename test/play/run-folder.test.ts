import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { MARK, ownProcesses, processesOf } from '../../src/play/processes.js';
import { createRunFolder, removeLeftovers } from '../../src/play/run-folder.js';

/** A process that would go on for a minute. */
async function running(env: Record<string, string>, cwd = '/'): Promise<ChildProcess> {
  const script = 'console.log("up"); setTimeout(() => {}, 60_000)';
  const child = spawn(process.execPath, ['-e', script], {
    env,
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

/** Resolves when the process has ended, however it ended. */
const end = (child: ChildProcess) => (child.exitCode ?? child.signalCode) || once(child, 'exit');
const isRunning = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

/** A folder as a killed run leaves it. */
async function leftFolder(): Promise<string> {
  const path = mkdtempSync(join(tmpdir(), 'gymgen-play-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  mkdirSync(join(path, 'ray'));
  writeFileSync(join(path, 'ray/log'), '');
  return path;
}

/** The socket of a process that was killed: nobody listens. */
async function deadSocket(folder: string): Promise<void> {
  const path = join(folder, 'alive');
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  await once(spawn(process.execPath, ['-e', script]), 'exit');
  expect(existsSync(path)).toBe(true);
}

describe.skipIf(process.platform !== 'linux')('a run', () => {
  beforeAll(() => removeLeftovers());

  test('ends its processes and removes its folder', async () => {
    const run = await createRunFolder();
    const marked = await running(run.env);
    const other = await running({});
    await run.remove();
    await end(marked);
    expect(existsSync(run.path)).toBe(false);
    expect(isRunning(other)).toBe(true);
  });

  test('leaves another run alone', async () => {
    const run = await createRunFolder();
    onTestFinished(() => run.remove());
    const marked = await running(run.env);
    await removeLeftovers();
    expect(existsSync(run.path)).toBe(true);
    expect(isRunning(marked)).toBe(true);
  });

  test('ends what a killed run left behind, and removes its folder', async () => {
    const path = await leftFolder();
    await deadSocket(path);
    const marked = await running({ [MARK]: path });
    const inFolder = await running({}, join(path, 'ray'));
    const other = await running({});
    const { processes, folders } = await removeLeftovers();
    expect(processes).toBeGreaterThanOrEqual(2);
    expect(folders).toBeGreaterThanOrEqual(1);
    await Promise.all([end(marked), end(inFolder)]);
    expect(existsSync(path)).toBe(false);
    expect(isRunning(other)).toBe(true);
  });

  test('ends processes whose folder is gone', async () => {
    const path = await leftFolder();
    rmSync(path, { recursive: true });
    const marked = await running({ [MARK]: path });
    await removeLeftovers();
    await end(marked);
  });

  test('removes an environment that a killed run was creating, and no other folder', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'gymgen-cache-'));
    onTestFinished(() => rmSync(cache, { recursive: true }));
    const folders = ['nemo-gym-0123456789abcdef-aB3_x9', 'nemo-gym-0123456789abcdef'].map((name) => {
      const folder = join(cache, 'gymgen/envs/gymgen', name);
      mkdirSync(join(folder, 'lib'), { recursive: true });
      return folder;
    });
    for (const folder of folders) {
      const run = await leftFolder();
      writeFileSync(join(run, 'building'), folder);
    }
    await removeLeftovers();
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, true]);
  });

  test('removes only folders with the name of a run', async () => {
    const path = mkdtempSync(join(tmpdir(), 'gymgen-other-'));
    onTestFinished(() => rmSync(path, { recursive: true }));
    writeFileSync(join(path, 'file'), '');
    const marked = await running({ [MARK]: path });
    await removeLeftovers();
    expect(existsSync(path)).toBe(true);
    expect(isRunning(marked)).toBe(true);
  });

  test('that has just been created, and is still empty, is replaced', async () => {
    const path = mkdtempSync(join(tmpdir(), 'gymgen-play-'));
    await removeLeftovers();
    expect(existsSync(path)).toBe(false);
  });

  test('whose socket cannot be asked counts as running', async () => {
    const path = await leftFolder();
    const server = createServer().listen(join(path, 'alive'));
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    await removeLeftovers();
    expect(existsSync(path)).toBe(true);
  });
});

describe('the processes of a run', () => {
  const of = (pid: number, group: number, mark?: string, folder = '/') => {
    return { pid, group, folder, ...(mark === undefined ? {} : { mark }) };
  };

  test('are the marked ones, those in its folder, and unmarked ones in their groups', () => {
    const all = [
      of(1, 1),
      of(2, 2, '/run/a'),
      of(3, 2),
      of(4, 4, undefined, '/run/a/ray (deleted)'),
      of(5, 5, '/run/b', '/run/a/ray'),
      of(6, 6, undefined, '/run/ab'),
    ];
    expect(processesOf('/run/a', all).map(({ pid }) => pid)).toEqual([2, 3, 4]);
  });

  test('never include this one', async () => {
    const mine = (await ownProcesses()).find(({ pid }) => pid === process.pid);
    expect(mine?.mark).toBeUndefined();
  });
});
