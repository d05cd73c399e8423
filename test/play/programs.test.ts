// NeMo Gym's programs, played by shell scripts.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Endings } from '../../src/play/endings.js';
import { gymEnvironment, runRollouts, startServers } from '../../src/play/gym.js';
import { linkVenv } from '../../src/play/link-venv.js';
import { Log } from '../../src/play/log.js';
import { startRay } from '../../src/play/ray.js';
import { Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';

/** What a program needs, with a script in its place. */
function having(name: 'ray' | 'gym', script: string, secret?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, name);
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o700);
  const log = new Log(join(folder, 'gym.log'), secret);
  onTestFinished(() => log.close());
  const controller = new AbortController();
  const reporter = new Said();
  const options = { folder, program, log, env: process.env, signal: controller.signal, reporter };
  return { ...options, gym: { python: '', programs: folder }, controller };
}

/** Goes on until it gets a signal, then ends. */
const UNTIL_SIGNAL = 'trap "exit 0" INT TERM; while :; do sleep 0.05; done';

describe('Ray', () => {
  test('is ready when it says so, and ends when it is stopped', async () => {
    const options = having('ray', `echo "$@" > args; echo "2026 SUCC -- Ray runtime started."; ${UNTIL_SIGNAL}`);
    const ray = await startRay(options);
    const args = readFileSync(join(options.folder, 'args'), 'utf8');
    expect(args).toContain(`start --head --block --port=${ray.address.replace('127.0.0.1:', '')} `);
    expect(args).toContain(`--temp-dir=${options.folder}/1 `);
    await ray.stop();
    expect(await failureOf(ray.ended)).toContain('Ray ended during the run');
  });

  test('is started again if it fails, which is said', async () => {
    const script = `echo x >> tries; [ $(wc -l < tries) = 3 ] || exit 1; echo Ray runtime started; ${UNTIL_SIGNAL}`;
    const options = having('ray', script);
    await (await startRay(options)).stop();
    expect(options.reporter.notes).toEqual(
      [2, 3].map((next) => expect.stringContaining(`trying again (${next} of 3)`)),
    );
  });

  test('that fails three times is an error with its last lines', async () => {
    const options = having('ray', 'echo The current node timed out during startup; exit 1');
    const failure = await failureOf(startRay(options));
    expect(failure).toContain('Ray failed to start 3 times\nThe current node timed out during startup');
    expect(failure).toContain(`at: ${options.log.file}`);
  });

  test('is stopped if the run is interrupted while it starts', async () => {
    const options = having('ray', `touch begun; ${UNTIL_SIGNAL}`);
    const starting = startRay(options);
    await vi.waitFor(() => expect(existsSync(join(options.folder, 'begun'))).toBe(true));
    options.controller.abort(new Error('interrupted'));
    await expect(starting).rejects.toThrow('interrupted');
  });
});

describe('gym env start', () => {
  test('is ready when all servers are, and shows the progress', async () => {
    const lines = 'echo "1 / 4 servers ready. Waiting"; echo "All 4 / 4 servers ready! Polling"';
    const options = having('gym', `echo "$@" > args; ${lines}; ${UNTIL_SIGNAL}`);
    const servers = await startServers(options);
    const counts = [{}, { done: 1, total: 4 }, { done: 4, total: 4 }];
    const events = counts.map((ready) => ({ phase: 'start', what: "NeMo Gym's servers", ...ready }));
    expect(options.reporter.progressed).toEqual(events);
    expect(readFileSync(join(options.folder, 'args'), 'utf8')).toBe('env start\n');
    await servers.stop();
    expect(await failureOf(servers.ended)).toContain('could not run the servers');
  });

  test('that ends is an error with the exceptions that it printed', async () => {
    const options = having('gym', 'echo Traceback; echo "(shop) ImportError: no module x"; echo after; exit 1');
    const failure = await failureOf(startServers(options));
    expect(failure).toBe(
      `NeMo Gym could not run the servers\n(shop) ImportError: no module x\nat: ${options.log.file}\nfix: read the log, which has the output of the servers`,
    );
  });

  test('that cannot be started is an error', async () => {
    const options = having('ray', '');
    await expect(startServers(options)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('gym eval run', () => {
  const never = new Promise<never>(() => {});

  test('shows the progress, also of a line that a carriage return ends', async () => {
    const options = having('gym', 'printf "Collecting: 10%%\\rFinished 3 / 20 rollouts (15%%)\\n"');
    await runRollouts(options, [never]);
    expect(options.reporter.progressed).toEqual([{ phase: 'play', done: 3, total: 20 }]);
  });

  test('that fails is an error with its own message', async () => {
    const options = having('gym', 'echo "Error: no rows"; echo "Looked in x"; exit 1');
    expect(await failureOf(runRollouts(options, [never]))).toContain('Error: no rows\nLooked in x\n');
  });

  test('ends with the servers', async () => {
    const options = having('gym', UNTIL_SIGNAL);
    await expect(runRollouts(options, [Promise.reject(new Error('a server ended'))])).rejects.toThrow('a server ended');
  });
});

test('the log has no secret and a bounded size', async () => {
  const options = having('gym', 'echo "wrong key sk-12345678 (sk-12345678)"; exit 1', 'sk-12345678');
  const failure = await failureOf(startServers(options));
  await options.log.close();
  expect(failure).toContain('wrong key … (…)');
  expect(readFileSync(options.log.file, 'utf8')).toBe('wrong key … (…)\n');
});

test("NeMo Gym's environment leads to no other code or config", () => {
  for (const name of ['NEMO_GYM_EXTRA_ROOTS', 'NEMO_GYM_CONFIG_DICT', 'RAY_ADDRESS']) vi.stubEnv(name, '/elsewhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  const env = gymEnvironment('/venv/bin', { MORE: 'x' });
  expect(Object.values(env)).not.toContain('/elsewhere');
  expect(env).toMatchObject({ PATH: `/venv/bin:${process.env.PATH}`, MORE: 'x' });
});

test('a linked venv starts the real Python', async () => {
  const venvs = mkdtempSync(join(tmpdir(), 'gymgen-venvs-'));
  onTestFinished(() => rmSync(venvs, { recursive: true }));
  const real = join(venvs, "it's real", 'python');
  mkdirSync(join(venvs, "it's real"));
  writeFileSync(real, '#!/bin/sh\necho "$0: $*"\n', { mode: 0o700 });
  await linkVenv(venvs, 'resources_servers/shop', real);
  const venv = join(venvs, 'resources_servers/shop/.venv');
  const script = '. "$0/bin/activate" && "$0/bin/python" app.py "a b" && command -v python';
  expect(execFileSync('sh', ['-c', script, venv], { encoding: 'utf8' })).toBe(`${real}: app.py a b\n${real}\n`);
});

test('everything that was started ends, the last first, also after a failure', async () => {
  const ended: number[] = [];
  const endings = new Endings();
  for (const number of [1, 2, 3]) {
    endings.add(number, async (started) => {
      ended.push(started);
      if (started === 2) throw new Error('stuck');
    });
  }
  await expect(endings.run()).rejects.toThrow('stuck');
  await endings.run();
  expect(ended).toEqual([3, 2, 1]);
});
