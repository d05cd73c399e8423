import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DiscoverOptions, type OpenDiscovery, openRecording, type Task } from '../../../src/discover/index.js';
import { record } from '../../../src/operations/record.js';
import { discoverAll, discoverOptions, Said } from '../../support/discovered.js';
import { failureOf } from '../../support/failure-of.js';
import { discoverProvided, serverWithoutTasks } from '../../support/provided.js';
import { recorded } from '../../support/recorded.js';
import { observation } from '../../support/served-session.js';
import { days, tool } from '../../support/served-tasks.js';
import { StandIn } from '../../support/stand-in.js';

const signal = new AbortController().signal;

function tempFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-recording-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

/** JSON whose spelling JSON.parse would not preserve. */
const ODD = '{"name":"odd","description":null,"input_schema":{"type":"object","maximum":9223372036854775807,"a":1.0}}';

function twoToolsets(): Promise<StandIn> {
  const train = days(300, (number) => ({ toolset: number < 200 ? 'one' : 'two', system_prompt: null }));
  const turns = (task: { toolset?: unknown }) => [
    [task.toolset === 'one' ? ODD : tool('two'), tool('end_turn')],
    [ODD],
  ];
  return StandIn.start({
    splits: { train, eval: days(3, () => ({ toolset: 'two', prompt: 'é\u2028"\\ \u{1f600}' })) },
    turns,
  });
}

function keep(source: string, file: string, options: Partial<DiscoverOptions> = {}) {
  return record({ source, discover: discoverOptions(options) }, file, new Said(), signal);
}

async function all(discovery: OpenDiscovery) {
  try {
    const tasks: Task[] = [];
    for (const split of discovery.splits) for await (const page of discovery.tasks(split)) tasks.push(...page);
    return { envName: discovery.envName, splits: discovery.splits, tasks, ...(await discovery.finish()) };
  } finally {
    await discovery.close();
  }
}

async function read(file: string, options: { splits?: string[]; limit?: number } = {}) {
  return all(
    await openRecording(file, { splits: [], limit: Number.POSITIVE_INFINITY, signal, ...options }, new Said()),
  );
}

/** A task as it is in a recording: without the other keys of a server's task. */
function plain({ split, index, id, prompt, systemPrompt, toolset }: Task) {
  return { split, index, id, prompt, systemPrompt, toolset };
}

describe('a recording has the content of its server', () => {
  test.each(['a.jsonl', 'a.jsonl.gz'])('tasks, toolsets and the spelling of schemas: %s', async (name) => {
    const server = await twoToolsets();
    const file = tempFile(name);
    expect(await keep(server.url, file)).toMatchObject({ envName: 'grid-v1', toolsets: 2 });
    const { discovery, summary, tasks } = await discoverAll(server.url);
    const got = await read(file);
    expect(got).toEqual({
      envName: 'grid-v1',
      splits: discovery.splits,
      tasks: tasks.map(plain),
      toolsets: summary.toolsets,
    });
    expect(got.toolsets[0]?.turns[0]?.[0]?.parameters).toContain('"maximum":9223372036854775807,"a":1.0');
    expect(new Set(got.tasks.map(({ toolset }) => toolset)).size).toBe(2);
  });

  test.each([
    ['qa-v1', { splits: ['train'], limit: 2 }],
    ['tools-v1', {}],
    ['multi-v1', { splits: ['train'] }],
  ])('tasks and toolsets of AgentEnv: %s', async (bundle, options) => {
    const server = await recorded(bundle);
    const file = tempFile('a.jsonl');
    await keep(server.url, file, options);
    const { summary, tasks } = await discoverAll(server.url, options);
    const got = await read(file);
    expect(got.tasks).toEqual(tasks.map(plain));
    expect(got.toolsets).toEqual(summary.toolsets);
  });

  test('provided tasks, and the action of their environment', async () => {
    const server = await serverWithoutTasks({ shows: ({ seed }) => observation({ question: `What is ${seed}?` }) });
    const file = tempFile('a.jsonl');
    const options = { provided: { episodes: 3, seed: 5, seedKey: 'seed' } };
    await keep(server.url, file, options);
    const { discovery, summary, tasks } = await discoverProvided(server, options);
    const recording = await openRecording(file, { splits: [], limit: Number.POSITIVE_INFINITY, signal }, new Said());
    expect(recording).toMatchObject({ provided: true, rewardRule: 'sum', action: discovery.action });
    const got = await all(recording);
    expect(got.tasks).toEqual(tasks.map((task) => ({ ...plain(task), reset: task.reset })));
    expect(got.toolsets).toEqual(summary.toolsets);
  });

  test('for a selected split or number of tasks, with their toolsets', async () => {
    const server = await twoToolsets();
    const file = tempFile('a.jsonl');
    await keep(server.url, file);
    const some = await read(file, { limit: 10 });
    expect(some.splits).toEqual([
      { name: 'train', count: 10 },
      { name: 'eval', count: 3 },
    ]);
    expect(some.tasks).toHaveLength(13);
    const last = await read(file, { splits: ['eval'] });
    expect(last.tasks.map(({ split }) => split)).toEqual(['eval', 'eval', 'eval']);
    expect(last.toolsets).toMatchObject([{ key: 'toolset:two', tasks: [{ split: 'eval', index: 0 }] }]);
    const served = await discoverAll(server.url, { splits: ['eval'] });
    expect(last.toolsets).toEqual(served.summary.toolsets);
    expect(await failureOf(read(file, { splits: ['nope'] }))).toContain('pass --split with one of: train, eval');
  });

  test('and is the same file each time', async () => {
    const server = await twoToolsets();
    const [one, two] = [tempFile('a.jsonl.gz'), tempFile('a.jsonl.gz')];
    await keep(server.url, one);
    await keep(server.url, two);
    expect(readFileSync(one).equals(readFileSync(two))).toBe(true);
  });

  test('also with CR LF line ends', async () => {
    const file = await kept();
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'));
    expect((await read(file)).tasks).toHaveLength(3);
  });
});

async function kept(name = 'a.jsonl'): Promise<string> {
  const server = await StandIn.start();
  const file = tempFile(name);
  await keep(server.url, file);
  return file;
}

describe('a damaged recording is refused, with the line', () => {
  const cases: [string, (lines: string[]) => string[], RegExp][] = [
    ['truncated between lines', (lines) => lines.slice(0, -1), /truncated after this line\nat: .*a\.jsonl:6\n/],
    ['truncated in a line', (lines) => [...lines.slice(0, 5), '{"type":"ta'], /not valid JSON\nat: .*:6\n/],
    ['a missing task', (lines) => lines.toSpliced(4, 1), /task 2 is out of order\nat: .*:5\n/],
    ['a missing last task', (lines) => lines.toSpliced(5, 1), /has 2 of its 3 tasks\nat: .*:6\n/],
    [
      'a missing field',
      (lines) => lines.with(4, (lines[4] ?? '').replace('"prompt"', '"p"')),
      /prompt: .*\nat: .*:5\n/,
    ],
    ['a missing toolset', (lines) => lines.toSpliced(2, 1), /toolset 0 is missing\nat: .*:3\n/],
    [
      'a schema that is not an object',
      (lines) => lines.with(2, (lines[2] ?? '').replace('{\\"type', '[\\"type')),
      /parameters: .*:3\n/s,
    ],
    ['a line after the end', (lines) => [...lines, lines[4] ?? ''], /unexpected line after the end\nat: .*:8\n/],
    ['another split', (lines) => lines.with(1, '{"type":"split","name":"x"}'), /'x' is out of order\nat: .*:2\n/],
  ];
  test.each(cases)('%s', async (_, damage, message) => {
    const file = await kept();
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    writeFileSync(file, `${damage(lines).join('\n')}\n`);
    expect(await failureOf(read(file))).toMatch(message);
    expect(await failureOf(read(file))).toContain('gymgen record');
  });

  test('truncated or changed gzip data', async () => {
    const file = await kept('a.jsonl.gz');
    const packed = readFileSync(file);
    writeFileSync(file, packed.subarray(0, -12));
    expect(await failureOf(read(file))).toMatch(/unexpected end of file/);
    writeFileSync(file, packed.with(packed.length - 6, (packed.at(-6) ?? 0) ^ 1));
    expect(await failureOf(read(file))).toMatch(/incorrect data check/);
  });

  test('bytes that are not UTF-8', async () => {
    const file = await kept();
    const bytes = readFileSync(file);
    bytes[bytes.indexOf('Day 1') + 1] = 0xff;
    writeFileSync(file, bytes);
    expect(await failureOf(read(file))).toContain('not UTF-8');
  });

  test('a newer recording, and another file', async () => {
    const file = await kept();
    writeFileSync(file, readFileSync(file, 'utf8').replace('"format":1', '"format":2'));
    expect(await failureOf(read(file))).toMatch(/newer gymgen.*\n.*\n.*update gymgen/);
    for (const text of ['', '{"type":"other"}\n', '# notes\n', gzipSync('x')]) {
      writeFileSync(file, text);
      expect(await failureOf(read(file))).toContain('not a gymgen recording');
    }
  });
});

describe('recording', () => {
  test('compresses if the name ends in .gz, and leaves out credentials of the URL', async () => {
    const server = await StandIn.start();
    const file = tempFile('deep/er/a.jsonl.gz');
    await keep(server.url.replace('://', '://me:secret@'), file);
    const text = gunzipSync(readFileSync(file)).toString();
    expect(text).toContain(`"server":{"url":"${server.url}"}`);
    expect(text).not.toContain('secret');
  });

  test('does not replace another file', async () => {
    const server = await StandIn.start();
    const file = tempFile('notes.jsonl');
    writeFileSync(file, 'mine\n');
    expect(await failureOf(keep(server.url, file))).toContain('is not a gymgen recording');
    expect(readFileSync(file, 'utf8')).toBe('mine\n');
  });

  describe.skipIf(process.platform === 'win32')('replaces nothing but a regular file', () => {
    const refused = async (make: (file: string) => void) => {
      const server = await StandIn.start();
      const file = tempFile('shop.jsonl');
      make(file);
      const before = lstatSync(file);
      const failure = await failureOf(keep(server.url, file));
      const { ino, mode } = lstatSync(file);
      expect([ino, mode]).toEqual([before.ino, before.mode]);
      expect(readdirSync(join(file, '..'))).toContain('shop.jsonl');
      expect(server.asked).toEqual([]); // refused at once
      return failure;
    };

    test('a named pipe', async () => {
      expect(await refused((file) => execFileSync('mkfifo', [file]))).toMatch(/^not a regular file\nat: .*shop\.jsonl/);
    });

    test('a symlink to a device', async () => {
      expect(await refused((file) => symlinkSync('/dev/null', file))).toMatch(/^not a regular file/);
    });

    test('a symlink that leads nowhere', async () => {
      expect(await refused((file) => symlinkSync(`${file}.none`, file))).toMatch(/^broken symlink/);
    });

    test('a folder', async () => {
      expect(await refused((file) => mkdirSync(file))).toMatch(/^is a folder, not a file\nat: .*shop\.jsonl/);
    });

    test('a symlink stays, and the recording that it leads to is written', async () => {
      const server = await StandIn.start();
      const real = tempFile('real.jsonl');
      await keep(server.url, real);
      const link = tempFile('link.jsonl');
      symlinkSync(real, link);
      server.splits = { train: days(7) };
      await keep(server.url, link);
      expect(readlinkSync(link)).toBe(real);
      expect((await read(real)).tasks).toHaveLength(7);
    });
  });

  test.skipIf(!existsSync('/proc/self'))('to a file system without new files is refused', async () => {
    const server = await StandIn.start();
    for (const file of ['/proc/x.jsonl', '/proc/x/y.jsonl']) {
      expect(await failureOf(keep(server.url, file))).toMatch(new RegExp(`^cannot write: .*\nat: ${file}`));
    }
  });

  test('leaves out a token of --config-url', async () => {
    const server = await StandIn.start();
    const file = tempFile('a.jsonl');
    const request = { source: server.url, configUrl: 'http://h/ws?token=hunter2', discover: discoverOptions() };
    const failure = await failureOf(record(request, file, new Said(), signal));
    expect(failure).toContain('has a query or fragment');
    expect(failure).not.toContain('hunter2');
    expect(existsSync(file)).toBe(false);
  });

  test('keeps the old file if the server fails half-way', async () => {
    const file = await kept();
    const before = readFileSync(file, 'utf8');
    const server = await StandIn.start({
      splits: { train: days(3), eval: [{ id: 'no-prompt' }] },
    });
    await expect(keep(server.url, file)).rejects.toThrow('prompt');
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(join(file, '..'))).toEqual(['a.jsonl']);
  });
});
