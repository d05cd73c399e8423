// gymgen in a real terminal. Each test waits for what the terminal shows, never for a fixed time.

import { describe, expect, test } from 'vitest';
import { tempFolder } from '../support/built-cli.js';
import { type InTerminal, inTerminal } from '../support/in-terminal.js';
import { Screen } from '../support/screen.js';
import { day } from '../support/served-tasks.js';
import { StandIn, type StandInOptions } from '../support/stand-in.js';

/** A server that does not answer a request or frame until it is released. */
async function held(what: string, options: StandInOptions = {}) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = async (asked: string) => {
    if (asked.endsWith(what)) await released;
    return undefined;
  };
  const server = await StandIn.start({
    mayLeak: true,
    ...options,
    http: ({ path }) => hold(path),
    ws: ({ type }) => hold(type),
  });
  return { url: server.url, release };
}

const CTRL_C = '\u0003';

/** Progress is erased, and the terminal is restored. */
function expectRestored({ screen }: InTerminal): void {
  expect(screen.text).not.toMatch(/waiting for|probing|\d tasks|of \d+ done/);
  expect(screen.isCursorVisible).toBe(true);
}

test('the screen of these tests notices a wrapped line', () => {
  const screen = new Screen(5);
  for (const chunk of ['one\r\nabc测', 'def\r\u001b[', '1A\u001b[Jx\r\n']) screen.write(chunk);
  expect([screen.text, screen.wraps]).toEqual(['one\nx\n', ['abc测']]);
});

describe.each([80, 50])('with %i columns', (columns) => {
  test('a slow server is shown with its URL and the time', async () => {
    const { url, release } = await held('/health');
    const terminal = inTerminal([url, 'root'], { columns, cwd: tempFolder() });
    await terminal.shows(new RegExp(`^waiting for ${url}, [1-9]\\d* s$`, 'm'));
    expect(terminal.screen.wraps).toEqual([]);
    release();
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen.text).toMatch(/^wrote root\/resources_servers\/grid_v1/m);
    expectRestored(terminal);
  });

  test('a slow reset is shown with counts and the time', async () => {
    const tasks = [0, 1, 2].map((at) => day(at, { toolset: `set${at}` }));
    const { url, release } = await held('reset', { splits: { train: tasks } });
    const terminal = inTerminal([url, 'root'], { columns, cwd: tempFolder() });
    await terminal.shows(/^probing 1 of 3 toolsets, 0 of 3 tasks, [1-9]\d* s$/m);
    expect(terminal.screen.wraps).toEqual([]);
    release();
    expect(await terminal.ended).toBe(0);
    expectRestored(terminal);
  });

  test('the result of a write is broken between words', async () => {
    const { url, release } = await held('/health', { splits: { train: [day(0)], validation: [day(1)] } });
    release();
    const terminal = inTerminal([url, 'a-longer-root'], { columns, cwd: tempFolder() });
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen.text).toContain('validation = validation');
    const isCommand = (line: string) => line.includes('gymgen.cjs'); // stays pasteable
    expect(terminal.screen.wraps.filter((line) => !isCommand(line))).toEqual([]);
  });

  test('a split with a long and hostile name is cut', async () => {
    const name = `测试\u001b[2J\n${'x'.repeat(100)}`;
    const { url, release } = await held('/task_range', { splits: { [name]: [day(0)] } });
    const terminal = inTerminal(['inspect', url], { columns, cwd: tempFolder() });
    await terminal.shows(/^测试\\u001b\[2J\\nx+… 0 of 1 tasks/m);
    expect(terminal.screen.wraps).toEqual([]);
    release();
    await terminal.ended;
    expect(terminal.screen.isCursorVisible).toBe(true);
  });

  test('Ctrl-C ends a write, and says that nothing was written', async () => {
    const { url } = await held('/task_range');
    const terminal = inTerminal([url, 'root'], { columns, cwd: tempFolder() });
    await terminal.shows(/^train 0 of 3 tasks/m);
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(130);
    expect(terminal.screen.text.trim()).toBe('error: interrupted; nothing was written');
    expect(terminal.screen.wraps).toEqual([]);
    expectRestored(terminal);
  });

  test('a batch has a line for each source in progress', async () => {
    const [one, two] = [await held('/health'), await held('reset', { name: 'two' })];
    const cwd = tempFolder();
    const sources = [one, two].map(({ url }) => `--source=${url}`);
    const terminal = inTerminal(['batch', '--root=r', '--concurrency=2', ...sources], { columns, cwd });
    await terminal.shows(/probing 1 of 1 toolset.*\n0 of 2 done/);
    two.release();
    await terminal.shows('1 of 2 done');
    expect(terminal.screen.wraps).toEqual([]);
    one.release();
    expect(await terminal.ended).toBe(0);
    expectRestored(terminal);
  });

  test('an error is broken at spaces, in color unless NO_COLOR is set', async () => {
    for (const env of [{}, { NO_COLOR: '1' }]) {
      const terminal = inTerminal(['http://127.0.0.1:9', 'root'], { columns, cwd: tempFolder(), env });
      expect(await terminal.ended).toBe(2);
      expect(terminal.screen.text).toMatch(/^error: connection refused\n {2}at: {2}GET .*\n {2}fix: start the server/);
      expect(terminal.screen.wraps).toEqual([]);
      expect(terminal.screen.isColored).toBe(!('NO_COLOR' in env));
    }
  });

  test('the help fits', async () => {
    for (const command of ['', 'write']) {
      const terminal = inTerminal([...command.split(' ').filter(Boolean), '--help'], { columns, cwd: tempFolder() });
      expect(await terminal.ended).toBe(0);
      expect(terminal.screen.text).toMatch(/^Usage: gymgen/);
      expect(terminal.screen.wraps).toEqual([]);
    }
  });
});
