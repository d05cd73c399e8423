// Limits of recordings, servers and tasks files: input at the limit passes, and input over it is refused with the limit's name.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openRecording } from '../../src/discover/index.js';
import { tasksFile } from '../../src/discover/provided/tasks-file.js';
import { ToolsetCounter, type withinLimits } from '../../src/discover/tool-limits.js';
import { LIMITS } from '../../src/limits.js';
import { discoverAll, Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';
import { fileOf } from '../support/provided.js';
import { StandIn } from '../support/stand-in.js';

const tool = (name: string, changes: object = {}) => ({ name, description: 'd', parameters: '{}', ...changes });
const tools = (count: number) => Array.from({ length: count }, (_, at) => tool(`t${at}`));
const schema = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) });

interface Content {
  splits?: number;
  turns?: object[][];
  toolsets?: number;
}

function recordingOf({ splits = 1, turns = [[tool('t')]], toolsets = 1 }: Content): string {
  const names = Array.from({ length: splits }, (_, at) => `s${at}`);
  const task = { type: 'task', index: 0, id: 't', prompt: 'p', systemPrompt: null, toolset: 0 };
  const numbered = Array.from({ length: toolsets }, (_, toolset) => ({ type: 'toolset', toolset, turns }));
  const lines = [
    {
      type: 'gymgen-recording',
      format: 1,
      server: { url: 'http://x' },
      environment: 'e',
      splits: names.map((name) => ({ name, count: 1 })),
    },
    ...names.flatMap((name, at) => [{ type: 'split', name }, ...(at === 0 ? numbered : []), task]),
    { type: 'end', tasks: splits, toolsets: [{ toolset: 0, key: 'agent:a', tasks: [], turns }] },
  ];
  return fileOf('recording.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

async function readRecording(file: string): Promise<string> {
  const options = { splits: [], limit: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
  const read = async () => {
    const discovery = await openRecording(file, options, new Said());
    try {
      for (const split of discovery.splits) for await (const _ of discovery.tasks(split));
      await discovery.finish();
    } finally {
      await discovery.close();
    }
  };
  return failureOf(read()).catch((error: Error) => error.message);
}

describe('a recording', () => {
  const { splits, turns, toolsPerTurn: most, schemaBytes, descriptionBytes, turnBytes, toolsets } = LIMITS;
  const large = (count: number) => tools(count).map((one) => ({ ...one, parameters: schema(schemaBytes) }));
  test.each<[string, Content, Content]>([
    ['splits', { splits }, { splits: splits + 1 }],
    ['turns', { turns: Array(turns).fill([tool('t')]) }, { turns: Array(turns + 1).fill([tool('t')]) }],
    ['toolsets', { toolsets }, { toolsets: toolsets + 1 }],
    ['toolsPerTurn', { turns: [tools(most)] }, { turns: [tools(most + 1)] }],
    [
      'schemaBytes',
      { turns: [[tool('t', { parameters: schema(schemaBytes) })]] },
      { turns: [[tool('t', { parameters: schema(schemaBytes + 1) })]] },
    ],
    [
      'descriptionBytes',
      { turns: [[tool('t', { description: 'é'.repeat(descriptionBytes / 2) })]] },
      { turns: [[tool('t', { description: 'é'.repeat(descriptionBytes / 2 + 1) })]] },
    ],
    ['turnBytes', { turns: [large(turnBytes / schemaBytes - 1)] }, { turns: [large(turnBytes / schemaBytes)] }],
  ])('%s', async (name, within, over) => {
    expect(await readRecording(recordingOf(within))).toBe('it did not fail');
    expect(await readRecording(recordingOf(over))).toContain(`(${name})`);
  });

  test('jsonValues of a line', async () => {
    const line = `{"type":"task","x":[${'[],'.repeat(LIMITS.jsonValues)}1]}\n`;
    expect(await readRecording(fileOf('r.jsonl', line))).toMatch(/\(jsonValues\)[\s\S]*r\.jsonl:1/);
  });

  test('lineBytes', async () => {
    const file = fileOf('r.jsonl', '{');
    truncateSync(file, LIMITS.lineBytes + 2 ** 20);
    expect(await readRecording(file)).toContain('(lineBytes)');
  });
});

test('the tools of all toolsets together are limited', () => {
  const bounds = new ToolsetCounter('a server');
  const turn = [tool('t', { parameters: 'x'.repeat(2 ** 20) })] as Parameters<typeof withinLimits>[0];
  const fit = Math.floor(LIMITS.toolsetsBytes / (2 ** 20 + 2));
  for (let at = 0; at < fit; at += 1) bounds.add([turn]);
  expect(() => bounds.add([turn])).toThrow(/\(toolsetsBytes\)/);
});

describe('a server', () => {
  const served = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ name: `t${at}`, description: '', input_schema: {} }));

  test('toolsPerTurn', async () => {
    const { toolsPerTurn: most } = LIMITS;
    const within = await StandIn.start({ turns: () => [served(most)] });
    expect((await discoverAll(within.url)).toolsets[0]?.split(' ').length).toBe(most + 1);
    const over = await StandIn.start({ turns: () => [served(most + 1)] });
    expect(await failureOf(discoverAll(over.url))).toMatch(/too many tools in a turn: the limit is 1,000/);
  });

  test('splits', async () => {
    const names = Array.from({ length: LIMITS.splits + 1 }, (_, at) => ({ name: `s${at}` }));
    const http = ({ path }: { path: string }) => (path.endsWith('/splits') ? { body: names } : undefined);
    const server = await StandIn.start({ http });
    expect(await failureOf(discoverAll(server.url))).toContain('(splits)');
  });

  test('turns of an endless episode', async () => {
    const endless = { name: 'end_turn', description: '', input_schema: {} };
    const server = await StandIn.start({ turns: () => Array(LIMITS.turns + 2).fill([endless]) });
    expect(await failureOf(discoverAll(server.url))).toContain('(turns)');
  });
});

describe('a tasks file', () => {
  const all = { splits: [], limit: Number.POSITIVE_INFINITY };

  test('splits', async () => {
    const lines = (count: number) => Array.from({ length: count }, (_, at) => `{"split":"s${at}"}\n`).join('');
    const { splits } = await tasksFile(fileOf('t.jsonl', lines(LIMITS.splits)), all);
    expect(splits).toHaveLength(LIMITS.splits);
    const failure = await failureOf(tasksFile(fileOf('t.jsonl', lines(LIMITS.splits + 1)), all));
    expect(failure).toMatch(/\(splits\)[\s\S]*t\.jsonl:1001/);
  });

  test.each(['t.jsonl', 't.json'])('jsonValues of %s', async (name) => {
    const value = `{"a":[${'[],'.repeat(LIMITS.jsonValues)}1]}`;
    const text = name === 't.json' ? `[${value}]` : `${value}\n`;
    expect(await failureOf(tasksFile(fileOf(name, text), all))).toContain('(jsonValues)');
  });

  test.each(['t.jsonl', 't.json', 't.csv'])('lineBytes of %s', async (name) => {
    const file = fileOf(name, 'a\n"');
    truncateSync(file, LIMITS.lineBytes + 2 ** 20);
    expect(await failureOf(tasksFile(file, all))).toMatch(/lineBytes|UTF-8|not valid CSV: .*Max/i);
  });

  test('100,000 nested arrays are an invalid line', async () => {
    const file = fileOf('t.jsonl', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`);
    expect(await failureOf(tasksFile(file, all))).toMatch(/reset is nested 100001 levels deep/);
  });

  test.each(['t.jsonl', 't.json', 't.csv'])('a named pipe is refused at once: %s', async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'gymgen-fifo-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    execFileSync('mkfifo', [join(folder, name)]);
    const failure = await failureOf(tasksFile(join(folder, name), all));
    expect(failure).toMatch(/^not a regular file[\s\S]*fix: write it to a file first/);
  });
});

test('a recording that is a named pipe is refused at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-fifo-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  execFileSync('mkfifo', [join(folder, 'r.jsonl')]);
  expect(await readRecording(join(folder, 'r.jsonl'))).toMatch(/^not a regular file/);
});
