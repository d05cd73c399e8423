import { describe, expect, test } from 'vitest';
import { type ServeOptions, serve } from '../../src/source/served.js';
import { failureOf } from '../support/failure-of.js';
import { refuseWarnings } from '../support/leaks.js';

refuseWarnings();

/** Serves a script of Node's, which has `pid` and `until` at hand. */
function started(script: string, changes: Partial<ServeOptions> = {}) {
  const signal = new AbortController().signal;
  return serve(process.execPath, ['-e', script], { cwd: process.cwd(), what: 'the example', signal, ...changes });
}

const READY = 'console.log(JSON.stringify({ url: "http://h/" + process.pid }));';
const UNTIL_STDIN = 'process.stdin.resume().on("end", () => process.exit(0));';

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const pidOf = (url: string) => Number(url.split('/').at(-1));

test('it is served once it says where, and ends when it is closed', async () => {
  const { url, close } = await started(`console.log("Hello"); console.log("{}"); ${UNTIL_STDIN} ${READY}`);
  expect(isThere(pidOf(url))).toBe(true);
  await close();
  expect(isThere(pidOf(url))).toBe(false);
  await close();
});

test.each([
  ['SIGTERM', 'setInterval(() => {}, 1000);'],
  ['SIGKILL', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);'],
])('one that does not end by itself gets %s', async (_, script) => {
  const { url, close } = await started(script + READY, { stopSeconds: 0.2 });
  await close();
  expect(isThere(pidOf(url))).toBe(false);
});

describe('one that can not be served', () => {
  test('is told with the end of its log', async () => {
    const script = 'for (let n = 0; n < 50; n++) console.error("line " + n); process.exit(3)';
    const failure = await failureOf(started(script));
    expect(failure).toMatch(/the example could not be served: .*exit code 3/);
    expect(failure).toMatch(/line 30\n[\s\S]*line 49$/);
    expect(failure).not.toContain('line 29');
  });

  test('is told where its program is not there', async () => {
    const options = { cwd: process.cwd(), what: 'the example', signal: new AbortController().signal };
    expect(await failureOf(serve('/no/such/program', [], options))).toMatch(/the example could not be served.*ENOENT/);
  });

  test('in time ends with the reason of the abort, and leaves no process', async () => {
    const stop = new AbortController();
    const starting = started(`${UNTIL_STDIN} process.stderr.write("x")`, { signal: stop.signal });
    const reason = new Error('stopped');
    setTimeout(() => stop.abort(reason), 100);
    await expect(starting).rejects.toBe(reason);
    await expect(started(READY, { signal: stop.signal })).rejects.toBe(reason);
  });
});

test('one that ends while it serves says so', async () => {
  const { ended, close } = await started(`${READY} setTimeout(() => process.exit(1), 50)`);
  expect(await failureOf(ended)).toMatch(/the example could not be served: .*exit code 1/);
  await close();
});

describe('a server that takes a token', () => {
  const HEARS = `require('node:readline').createInterface({ input: process.stdin }).once('line', (token) => {
    const seen = JSON.stringify([process.argv, process.env]).includes(token);
    console.log(JSON.stringify({ url: 'http://h/' + process.pid, token, seen, flag: process.argv.at(-1) }));
  }).on('close', () => process.exit(0));`;
  // After "--", Node.js leaves the flag to the script.
  const takingToken = () => {
    const options = { cwd: process.cwd(), what: 'the example', signal: new AbortController().signal, token: true };
    return serve(process.execPath, ['-e', HEARS, '--'], options);
  };

  test('gets one of its own over standard input, which its callers send in a header', async () => {
    const tokens = new Set<unknown>();
    for (let run = 0; run < 2; run += 1) {
      const { said, headers, close } = await takingToken();
      expect(headers).toEqual({ 'X-Gymgen-Token': said.token });
      expect(said).toMatchObject({ token: expect.stringMatching(/^[0-9a-f]{64}$/), seen: false });
      expect(said.flag).toBe('--token-on-stdin');
      tokens.add(said.token);
      await close();
    }
    expect(tokens.size).toBe(2);
  });

  test('other servers get none', async () => {
    const { headers, close } = await started(UNTIL_STDIN + READY);
    expect(headers).toEqual({});
    await close();
  });
});

test('one that is killed is closed at once, though a process that it started holds its output open', async () => {
  const lingers = `const { spawn } = require('node:child_process');
    const other = spawn('sleep', ['60'], { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    console.log(JSON.stringify({ url: 'http://h/' + process.pid, other: other.pid })); setInterval(() => {}, 1000);`;
  const { url, said, ended, close } = await started(lingers);
  try {
    process.kill(pidOf(url), 'SIGKILL');
    expect(await failureOf(ended)).toMatch(/the example could not be served: .*SIGKILL/);
    await close();
  } finally {
    process.kill(Number(said.other), 'SIGKILL');
  }
});
