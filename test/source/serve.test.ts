import { describe, expect, test } from 'vitest';
import { type ServeOptions, serve } from '../../src/source/serve.js';
import { Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';
import { refuseWarnings } from '../support/leaks.js';

refuseWarnings();

/** Serves a script that Node runs. */
function started(script: string, changes: Partial<ServeOptions> = {}) {
  const signal = new AbortController().signal;
  const options = { cwd: process.cwd(), name: 'the example', reporter: new Said(), signal };
  return serve(process.execPath, ['-e', script], { ...options, ...changes });
}

const READY = 'console.log(JSON.stringify({ url: "http://h/" + process.pid }));';
const UNTIL_STDIN = 'process.stdin.resume().on("end", () => process.exit(0));';

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const pidOf = (url: string) => Number(url.split('/').at(-1));

test('a server is ready when it announces its URL, and ends when it is closed', async () => {
  const { url, close } = await started(`console.log("Hello"); console.log("{}"); ${UNTIL_STDIN} ${READY}`);
  expect(isRunning(pidOf(url))).toBe(true);
  await close();
  expect(isRunning(pidOf(url))).toBe(false);
  await close();
});

test.each([
  ['SIGTERM', 'setInterval(() => {}, 1000);'],
  ['SIGKILL', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);'],
])('a server that does not end by itself gets %s', async (_, script) => {
  const { url, close } = await started(script + READY, { stopSeconds: 0.2 });
  await close();
  expect(isRunning(pidOf(url))).toBe(false);
});

describe('a server that fails to start', () => {
  test('is reported with the end of its log', async () => {
    const script = 'for (let n = 0; n < 50; n++) console.error("line " + n); process.exit(3)';
    const failure = await failureOf(started(script));
    expect(failure).toMatch(/could not serve the example: .*exit code 3/);
    expect(failure).toMatch(/line 30\n[\s\S]*line 49\n/);
    expect(failure).not.toContain('line 29');
  });

  test('is reported if its program does not exist', async () => {
    const { signal } = new AbortController();
    const options = { cwd: process.cwd(), name: 'the example', reporter: new Said(), signal };
    expect(await failureOf(serve('/no/such/program', [], options))).toMatch(/could not serve the example.*ENOENT/);
  });

  test('because of an abort rejects with its reason, and leaves no process', async () => {
    const stop = new AbortController();
    const starting = started(`${UNTIL_STDIN} process.stderr.write("x")`, { signal: stop.signal });
    const reason = new Error('stopped');
    setTimeout(() => stop.abort(reason), 100);
    await expect(starting).rejects.toBe(reason);
    await expect(started(READY, { signal: stop.signal })).rejects.toBe(reason);
  });
});

test('a server that ends while it serves is reported', async () => {
  const { ended, close } = await started(`${READY} setTimeout(() => process.exit(1), 50)`);
  expect(await failureOf(ended)).toMatch(/could not serve the example: .*exit code 1/);
  await close();
});

describe('a token', () => {
  const READS_TOKEN = `require('node:readline').createInterface({ input: process.stdin }).once('line', (token) => {
    const seen = JSON.stringify([process.argv, process.env]).includes(token);
    console.log(JSON.stringify({ url: 'http://h/' + process.pid, token, seen, flag: process.argv.at(-1) }));
  }).on('close', () => process.exit(0));`;
  // Node.js passes arguments after "--" to the script.
  const startWithToken = () => {
    const { signal } = new AbortController();
    const options = { cwd: process.cwd(), name: 'the example', reporter: new Said(), signal, token: true };
    return serve(process.execPath, ['-e', READS_TOKEN, '--'], options);
  };

  test('is new for each server, is passed on standard input, and is returned as a header', async () => {
    const tokens = new Set<unknown>();
    for (let run = 0; run < 2; run += 1) {
      const { announcement, headers, close } = await startWithToken();
      expect(headers).toEqual({ 'X-Gymgen-Token': announcement.token });
      expect(announcement).toMatchObject({ token: expect.stringMatching(/^[0-9a-f]{64}$/), seen: false });
      expect(announcement.flag).toBe('--token-on-stdin');
      tokens.add(announcement.token);
      await close();
    }
    expect(tokens.size).toBe(2);
  });

  test('is not passed to other servers', async () => {
    const { headers, close } = await started(UNTIL_STDIN + READY);
    expect(headers).toEqual({});
    await close();
  });
});

test('a killed server is closed at once, even if one of its children holds its output open', async () => {
  const lingers = `const { spawn } = require('node:child_process');
    const other = spawn('sleep', ['60'], { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    console.log(JSON.stringify({ url: 'http://h/' + process.pid, other: other.pid })); setInterval(() => {}, 1000);`;
  const { url, announcement, ended, close } = await started(lingers);
  try {
    process.kill(pidOf(url), 'SIGKILL');
    expect(await failureOf(ended)).toMatch(/could not serve the example: .*SIGKILL/);
    await close();
  } finally {
    process.kill(Number(announcement.other), 'SIGKILL');
  }
});
