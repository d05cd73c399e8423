// Tests every field that may contain untrusted text, and every command that may show it. Such a text stays on its line,
// does not control a terminal or GitHub's runner, and keeps its exact value in documents. How a command shows a field
// does not depend on the field. So each field is tested with a few commands, and each command with a few fields, as
// text and as JSON.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { gymgenHere } from '../support/cli-here.js';
import { type HandRecording, handRecording } from '../support/hand-recording.js';
import { BROKEN, escaped, MARKER } from '../support/marker.js';
import { failed, observation, type ServedSession } from '../support/served-session.js';
import { day, tool } from '../support/served-tasks.js';
import { StandIn, type StandInOptions } from '../support/stand-in.js';

const NAME = 'grid_v1';
const FOLDER = `resources_servers/${NAME}`;
/** A name that a file system accepts. */
const FILE = MARKER.replaceAll('/', '|');

/** A Gym root that gymgen wrote, and the recording that it was written from. */
const base = mkdtempSync(join(tmpdir(), 'gymgen-foreign-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
beforeAll(async () => {
  writeFileSync(join(base, 'rec.jsonl'), handRecording());
  expect(await gymgenHere(['rec.jsonl', 'root'], { cwd: base })).toMatchObject({ exitCode: 0 });
});

/** The folder of one test: a copy of that Gym root, and functions that change it. */
function workplace() {
  const cwd = tempFolder();
  cpSync(base, cwd, { recursive: true });
  const write = (file: string, text: string) => writeFileSync(join(cwd, file), text);
  return {
    cwd,
    write,
    server: async (options: StandInOptions) => (await StandIn.start({ mayLeak: true, ...options })).url,
    recording: (changes: HandRecording) => {
      write('hostile.jsonl', handRecording(changes));
      return 'hostile.jsonl';
    },
    edit: (file: string, change: (text: string) => string) => {
      const path = join(cwd, 'root', FOLDER, file);
      writeFileSync(path, change(readFileSync(path, 'utf8')));
    },
    editJson: (file: string, change: (value: never) => void) => {
      const path = join(cwd, 'root', FOLDER, file);
      const [first = '', ...rest] = file.endsWith('.jsonl')
        ? readFileSync(path, 'utf8').split('\n')
        : [readFileSync(path, 'utf8')];
      const value = JSON.parse(first) as never;
      change(value);
      writeFileSync(path, [JSON.stringify(value), ...rest].join('\n'));
    },
  };
}
type Workplace = ReturnType<typeof workplace>;

/** Closes its WebSocket, with a reason that is foreign text. */
function closing(_: unknown, { socket }: ServedSession): null {
  socket.close(4000, '\n::error::x ##[y]\u202e');
  return null;
}

/** Runs a command as text (`--verbose`), as a document (`--json`) or with annotations (`--github`). */
async function output({ cwd }: Workplace, args: string[], flag: string, env: Record<string, string> = {}) {
  const { stdout, stderr } = await gymgenHere([...args, flag], { cwd, env });
  expect(escaped(`${stdout}\n${stderr}`)).toEqual([]);
  expect(`${stdout}${stderr}`).not.toContain('bug in gymgen');
  return flag === '--json' ? (JSON.parse(stdout) as unknown) : undefined;
}

/** Runs the command in each of these ways. @returns the document */
async function outputs(at: Workplace, args: string[], env: Record<string, string> = {}) {
  await output(at, args, '--verbose', env);
  if (args[0] === 'check') await output(at, args, '--github', env);
  return await output(at, args, '--json', env);
}

/** Runs two of the commands, the first as text and the second as a document. `turn` selects them. */
async function inTurn(at: Workplace, commands: readonly string[][], turn: number): Promise<void> {
  await output(at, commands[turn % commands.length] as string[], '--verbose');
  await output(at, commands[(turn + 1) % commands.length] as string[], '--json');
}

/** The fields, with their numbers. */
function numbered<T>(fields: readonly [string, T][]): [string, T, number][] {
  return fields.map(([name, value], at) => [name, value, at]);
}

/** Whether a document contains a value anywhere: in a text or in a key. */
function holds(document: unknown, text: string): boolean {
  if (typeof document === 'string') return document.includes(text);
  if (typeof document !== 'object' || document === null) return false;
  return Object.entries(document).some(([key, value]) => key.includes(text) || holds(value, text));
}

const root = (...parts: string[]) => join('root', FOLDER, ...parts);
const CHECK = ['check', 'root', '--source', 'rec.jsonl'];
const UPDATE = ['update', 'root', '--source', 'rec.jsonl'];

describe('of a server', () => {
  const split = { [MARKER]: [day(0)], train: [day(1)] };
  const notFound = { status: 500, headers: { 'Content-Type': '##[error]x' } };
  const fields: [string, StandInOptions][] = [
    ['the name of the environment', { name: MARKER }],
    [
      'names of environments',
      { http: ({ path }) => (path === '/list_environments' ? { body: [MARKER, 'b'] } : undefined) },
    ],
    ['the name of a split', { splits: split }],
    ['the name of a split without tasks', { splits: { [MARKER]: [], train: [day(0)] } }],
    ["a task's id", { splits: { train: [day(0, { id: BROKEN })] } }],
    ["a task's name", { splits: { train: [day(0, { name: MARKER, id: MARKER })] } }],
    ["a task's prompt", { splits: { train: [day(0, { prompt: MARKER })] } }],
    ["a task's long prompt", { splits: { train: [day(0, { prompt: MARKER.repeat(40) })] } }],
    ["a task's broken prompt", { splits: { train: [day(0, { prompt: BROKEN })] } }],
    ["a task's system prompt", { splits: { train: [day(0, { system_prompt: MARKER })] } }],
    ["a task's agent", { splits: { train: [day(0, { agent: MARKER })] } }],
    ["a task's toolset", { splits: { train: [day(0, { toolset: MARKER })] } }],
    ["a task's other fields", { splits: { train: [day(0, { [MARKER]: MARKER, index: MARKER })] } }],
    ["a tool's name", { turns: () => [[tool(MARKER)]] }],
    ["a tool's broken name", { turns: () => [[tool(BROKEN), tool(BROKEN)]] }],
    ["a tool's description", { turns: () => [[{ ...(tool('a') as object), description: MARKER }]] }],
    [
      "a tool's schema",
      { turns: () => [[tool('a', { type: 'object', properties: { [MARKER]: { enum: [MARKER] } } })]] },
    ],
    ["a tool's broken schema", { turns: () => [[tool('a', { type: 'object', title: BROKEN })]] }],
    ['tools that differ', { turns: ({ name }) => [[tool(`${MARKER}${name}`)]] }],
    ['an HTTP error', { http: () => ({ ...notFound, body: MARKER }) }],
    ['a response that is not JSON', { http: () => ({ headers: notFound.headers, body: MARKER }) }],
    [
      'a response of another shape',
      { http: ({ method }) => (method === 'POST' ? { body: { [MARKER]: [MARKER] } } : undefined) },
    ],
    ['a redirect', { http: () => ({ status: 302, headers: { Location: 'http://##[error]::x@::y/##[z]::error' } }) }],
    ["an error frame's code", { ws: () => ({ type: 'error', data: { code: MARKER, message: 'no' } }) }],
    ["an error frame's message", { ws: () => ({ type: 'error', data: { code: 'X', message: BROKEN } }) }],
    ['a frame that is none', { ws: () => MARKER }],
    ['a frame of another type', { ws: () => ({ type: MARKER, data: {} }) }],
    ['why a WebSocket was closed', { ws: closing }],
    ['why an episode failed', { ws: () => failed(MARKER, { [MARKER]: MARKER }) }],
    [
      'the task that is played',
      { ws: () => observation({}, { metadata: { task: { id: MARKER, split: MARKER, index: 7 } } }) },
    ],
  ];

  const commands = (url: string) => [
    [url, 'out', '--name', 'x'],
    ['inspect', url],
    [url, 'out', '--name', 'x', '--dry-run'],
    ['record', url, 'out.jsonl'],
    ['check', url, 'root', '--name', NAME],
    ['batch', '--source', url, '--root', 'out', '--retries', '0'],
  ];

  test.each(numbered(fields))('%s', async (_, options, turn) => {
    const at = workplace();
    await inTurn(at, commands(await at.server(options)), turn);
  });

  const other = (url: string) => ({ name: MARKER, system_prompt: url, agent: MARKER, [MARKER]: MARKER });
  const everywhere: [string, StandInOptions][] = [
    [
      'fields that stop no command',
      {
        splits: { train: [day(0, { ...other(MARKER), prompt: MARKER }), day(1, { prompt: MARKER.repeat(40) })] },
        turns: () => [[{ name: 'a', description: MARKER, input_schema: { type: 'object', title: MARKER } }]],
      },
    ],
    ['fields that NeMo Gym refuses', { splits: split, turns: () => [[tool(MARKER), tool(BROKEN)]] }],
    ['an error', { ws: () => failed(MARKER, { [MARKER]: MARKER }) }],
  ];
  test.each(everywhere)('%s, in every command', async (_, options) => {
    const at = workplace();
    for (const args of commands(await at.server(options))) await outputs(at, args);
  });

  test('a row, a recording and an inspection have the exact values', async () => {
    const at = workplace();
    const task = day(0, { prompt: MARKER, id: MARKER, system_prompt: MARKER });
    const long = day(1, { prompt: MARKER.repeat(40) });
    const turns = () => [[{ name: 'a', description: MARKER, input_schema: { type: 'object', title: MARKER } }]];
    const url = await at.server({ splits: { train: [task, long] }, turns });
    const document = await outputs(at, [url, 'out', '--dry-run']);
    const row = JSON.parse((document as { row: string }).row);
    const [system, user] = row.responses_create_params.input;
    const [{ description, parameters }] = row.responses_create_params.tools;
    expect([system.content, user.content, row.task_id, description, parameters.title]).toEqual(Array(5).fill(MARKER));
    expect(holds(await outputs(at, ['inspect', url]), MARKER)).toBe(true);

    await outputs(at, [url, 'out']);
    await outputs(at, ['record', url, 'out.jsonl']);
    const written = [
      'data/train.jsonl',
      'data/example.jsonl',
      'toolsets.json',
      'gymgen.lock.json',
      `configs/${NAME}.yaml`,
    ]
      .map((file) => join(at.cwd, 'out', FOLDER, file))
      .filter((file) => !file.includes('example'));
    for (const file of [...written, join(at.cwd, 'out.jsonl')]) {
      const text = readFileSync(file, 'utf8');
      expect(escaped(text), file).toEqual([]);
      if (!file.endsWith('.yaml')) expect(text, file).not.toMatch(/::/);
    }
    const rows = readFileSync(join(at.cwd, 'out', FOLDER, 'data/train.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(JSON.parse(rows[1] ?? '').responses_create_params.input[1].content).toBe(MARKER.repeat(40));
    expect(await gymgenHere(['check', url, 'out'], { cwd: at.cwd })).toMatchObject({ exitCode: 0 });
    expect(await gymgenHere(['check', 'out.jsonl', 'out'], { cwd: at.cwd })).toMatchObject({ exitCode: 0 });
  });
});

describe('of a recording', () => {
  const fields: [string, HandRecording][] = [
    ['the name of the environment', { header: { environment: MARKER } }],
    ['the URL', { header: { server: { url: MARKER } } }],
    ['a URL that is one', { header: { server: { url: `http://h/${MARKER}` } } }],
    ['the bundle', { header: { server: { bundle: MARKER, framework: '1' } } }],
    ['the framework', { header: { server: { bundle: 'b', framework: MARKER, sandbox: MARKER } } }],
    ['a field of the action', { header: { action: { fixed: { [MARKER]: '1' } } } }],
    ['the type', { header: { type: MARKER } }],
    ['the format', { header: { format: MARKER } }],
    ['the name of a split', { split: MARKER }],
    ["a split's count", { header: { splits: [{ name: 'train', count: MARKER }] } }],
    ["a task's id", { task: { id: MARKER } }],
    ["a task's prompt", { task: { prompt: BROKEN } }],
    ["a task's reset", { task: { reset: JSON.stringify({ [MARKER]: MARKER }) } }],
    ["a task's reset that is none", { task: { reset: MARKER } }],
    ["a tool's name", { tool: { name: MARKER } }],
    ["a tool's schema", { tool: { parameters: JSON.stringify({ [MARKER]: MARKER }) } }],
    ["a tool's schema that is none", { tool: { parameters: MARKER } }],
    ["a toolset's key", { key: MARKER }],
    ['the task that taught it', { ref: { split: MARKER, id: MARKER } }],
    ['a line of another type', { more: [JSON.stringify({ type: MARKER, [MARKER]: 1 })] }],
    ['a line that is no JSON', { more: [MARKER.replaceAll('\n', '\r')] }],
  ];

  const commands = [
    ['inspect', 'hostile.jsonl'],
    ['check', 'root', '--source', 'hostile.jsonl'],
    ['hostile.jsonl', 'root', '--diff', '--name', NAME],
    ['batch', '--source', 'hostile.jsonl', '--root', 'out', '--retries', '0'],
    ['update', 'root', '--source', 'hostile.jsonl'],
  ];

  test.each(numbered(fields))('%s', async (_, changes, turn) => {
    const at = workplace();
    at.recording(changes);
    await inTurn(at, commands, turn);
  });

  const everywhere: [string, HandRecording][] = [
    [
      'fields that stop no command',
      { header: { environment: 'grid-v1' }, task: { prompt: BROKEN }, tool: { description: MARKER }, key: MARKER },
    ],
    ['fields that are refused', { header: { server: { bundle: MARKER, framework: MARKER } }, tool: { name: MARKER } }],
  ];
  test.each(everywhere)('%s, in every command', async (_, changes) => {
    const at = workplace();
    at.recording(changes);
    for (const args of commands) await outputs(at, args);
  });
});

describe('of a Gym root', () => {
  const fields: [string, (at: Workplace) => void][] = [
    [
      'a key of a row',
      ({ editJson }) =>
        editJson('data/train.jsonl', (row: Record<string, unknown>) => {
          row[MARKER] = MARKER;
        }),
    ],
    [
      "a row's split",
      ({ editJson }) =>
        editJson('data/train.jsonl', (row: Record<string, unknown>) => {
          row.split = MARKER;
          row.task_id = 'z';
        }),
    ],
    [
      "a row's id",
      ({ editJson }) =>
        editJson('data/train.jsonl', (row: Record<string, unknown>) => {
          row.task_id = BROKEN;
        }),
    ],
    [
      "a row's index",
      ({ editJson }) =>
        editJson('data/train.jsonl', (row: Record<string, unknown>) => {
          row.index = MARKER;
          delete row.task_id;
        }),
    ],
    [
      "a row's tool",
      ({ editJson }) =>
        editJson('data/train.jsonl', (row: { responses_create_params: { tools: { name: string }[] } }) => {
          for (const one of row.responses_create_params.tools) one.name = MARKER;
        }),
    ],
    [
      "a row's message",
      ({ editJson }) =>
        editJson('data/train.jsonl', (row: { responses_create_params: { input: object[] } }) => {
          row.responses_create_params.input = [{ role: MARKER, content: MARKER }];
        }),
    ],
    ['a line that is no row', ({ edit }) => edit('data/train.jsonl', (text) => `${MARKER}${text}`)],
    ['a text', ({ edit }) => edit('app.py', (text) => `${MARKER}${text}${MARKER.repeat(30)}`)],
    ['a config', ({ edit }) => edit(`configs/${NAME}.yaml`, (text) => `${text}# ${MARKER}`)],
    [
      'a setting',
      ({ edit }) =>
        edit(`configs/${NAME}.yaml`, (text) =>
          text.replace(/( +)url: .*/, `$&\n$1reward_rule: ${JSON.stringify(MARKER)}`),
        ),
    ],
    [
      'a file of the lock',
      ({ editJson }) =>
        editJson('gymgen.lock.json', (lock: { files: object }) => {
          Object.assign(lock.files, { [FILE]: `sha256:${'0'.repeat(64)}` });
        }),
    ],
    [
      'a hash of the lock',
      ({ editJson }) =>
        editJson('gymgen.lock.json', (lock: { files: object }) => {
          Object.assign(lock.files, { [MARKER]: MARKER });
        }),
    ],
    [
      'a file of the lock that is there',
      (at) => {
        at.write(root(FILE), 'x');
        at.editJson('gymgen.lock.json', (lock: { files: object }) => {
          Object.assign(lock.files, { [FILE]: `sha256:${'0'.repeat(64)}` });
        });
      },
    ],
    [
      "the lock's source",
      ({ editJson }) =>
        editJson('gymgen.lock.json', (lock: Record<string, unknown>) => {
          lock.source = MARKER;
        }),
    ],
    [
      "the lock's options",
      ({ editJson }) =>
        editJson('gymgen.lock.json', (lock: { options: object }) => {
          Object.assign(lock.options, { limit: MARKER, tasks: MARKER, [MARKER]: MARKER, prompt: MARKER });
        }),
    ],
    [
      "the lock's toolsets",
      ({ editJson }) =>
        editJson('gymgen.lock.json', (lock: Record<string, unknown>) => {
          lock.toolsets = [{ key: MARKER, tools: [MARKER], turns: MARKER }];
        }),
    ],
    [
      'keys of the lock',
      ({ editJson }) =>
        editJson('gymgen.lock.json', (lock: Record<string, unknown>) => {
          Object.assign(lock, { [MARKER]: 1, theirs: { [MARKER]: MARKER }, prompts: { [MARKER]: MARKER } });
        }),
    ],
    ['a lock that is no JSON', ({ edit }) => edit('gymgen.lock.json', () => MARKER)],
    ['toolsets.json', ({ edit }) => edit('toolsets.json', (text) => text.replace('submit', MARKER))],
    ['the name of the folder', ({ cwd }) => renameSync(join(cwd, root()), join(cwd, 'root/resources_servers', FILE))],
    [
      'the name of another folder',
      ({ cwd }) => cpSync(join(cwd, root()), join(cwd, 'root/resources_servers', FILE), { recursive: true }),
    ],
    ['a file beside', ({ write }) => write(root(FILE), MARKER)],
    [
      'what an interrupted run left',
      ({ cwd }) => {
        mkdirSync(join(cwd, 'root/.gymgen', NAME), { recursive: true });
        writeFileSync(join(cwd, 'root/.gymgen', NAME, 'journal.json'), MARKER);
      },
    ],
  ];

  const commands = [
    ['rec.jsonl', 'root', '--dry-run'],
    ['check', 'root'],
    UPDATE,
    ['rec.jsonl', 'root', '--diff'],
    ['batch', '--source', 'rec.jsonl', '--root', 'root', '--check', '--retries', '0'],
    ['rec.jsonl', 'root', '--force'],
  ];

  test.each(numbered(fields))('%s', async (_, change, turn) => {
    const at = workplace();
    change(at);
    await output(at, CHECK, turn % 2 === 0 ? '--verbose' : '--github');
    await inTurn(at, commands, turn);
  });

  test('several fields, in every command', async () => {
    const at = workplace();
    for (const [name, change] of fields) if (/^(?:a key of a row|a text|a config)$/.test(name)) change(at);
    for (const args of [CHECK, ...commands]) await outputs(at, args);
  });

  test('the document of a check has the exact value', async () => {
    const at = workplace();
    at.editJson('data/train.jsonl', (row: Record<string, unknown>) => {
      row[MARKER] = 1;
    });
    expect(holds(await outputs(at, CHECK), MARKER)).toBe(true);
  });
});

describe('of files and names that a command is given', () => {
  const fields: [string, (at: Workplace) => string[]][] = [
    [
      'a key of a tasks file',
      (at) => {
        at.write('t.jsonl', JSON.stringify({ reset: {}, [MARKER]: 1 }));
        return ['--tasks', 't.jsonl'];
      },
    ],
    [
      'values of a tasks file',
      (at) => {
        at.write('t.jsonl', JSON.stringify({ reset: { a: MARKER }, split: MARKER, id: BROKEN, prompt: MARKER }));
        return ['--tasks', 't.jsonl'];
      },
    ],
    [
      'a line of a tasks file',
      (at) => {
        at.write('t.jsonl', MARKER);
        return ['--tasks', 't.jsonl'];
      },
    ],
    [
      'a column of a tasks file',
      (at) => {
        at.write('t.csv', `"${MARKER}","reset"\n1,2,3\n`);
        return ['--tasks', 't.csv'];
      },
    ],
    ['the name of a tasks file', () => ['--tasks', MARKER]],
    ['the name of a prompt file', () => ['--prompt', `@${MARKER}`]],
    ['an option', () => ['--split', MARKER, '--name', MARKER, '--rename-tool', `${MARKER}=${MARKER}`]],
    ['a value that an option has not', () => ['--limit', MARKER, '--probes', MARKER, '--header', MARKER]],
    ['a header', () => ['--header', `${MARKER}: ${MARKER}`]],
    ['a variable', () => ['--header-env', `A=${MARKER}$NOTSET`]],
    ['a URL', () => ['--config-url', `http://h/${MARKER}`]],
  ];

  test.each(numbered(fields))('%s', async (_, change, turn) => {
    const at = workplace();
    const url = await at.server({});
    const flags = change(at);
    await inTurn(
      at,
      [
        [url, 'out', ...flags],
        ['inspect', url, ...flags],
      ],
      turn,
    );
  });

  test.each([
    ['write', [MARKER, 'out']],
    ['write, in the wrong order', [MARKER, 'http://127.0.0.1:9']],
    ['write into such a root', ['rec.jsonl', FILE]],
    ['inspect', ['inspect', FILE]],
    ['record', ['record', 'rec.jsonl', join('out', FILE)]],
    ['check', ['check', MARKER]],
    ['update', ['update', 'root', '--name', MARKER]],
    ['batch', ['batch', '--source', MARKER, '--root', 'out', '--retries', '0']],
    ['a batch file', ['batch', FILE]],
  ])('the arguments of %s', async (_, args) => {
    await outputs(workplace(), args);
  });

  test.each([
    ['a key', JSON.stringify({ sources: [{ source: 'x', [MARKER]: 1 }] })],
    [
      'a value',
      JSON.stringify({
        sources: [
          { source: MARKER, limit: MARKER },
          { source: MARKER, name: MARKER },
        ],
      }),
    ],
    ['a source', JSON.stringify({ sources: [MARKER, `http://127.0.0.1:9/${MARKER}`] })],
    ['no YAML', `a: [${MARKER}`],
  ])('%s of a batch file', async (_, text) => {
    const at = workplace();
    at.write('batch.yaml', text);
    await outputs(at, ['batch', 'batch.yaml', '--root', 'out', '--retries', '0']);
  });

  test('a list on standard input', async () => {
    const args = ['batch', '-', '--root', 'out', '--retries', '0'];
    const { stdout, stderr } = await builtCli()(args, { cwd: tempFolder(), input: MARKER.slice(1) });
    expect(escaped(`${stdout}\n${stderr}`)).toEqual([]);
  });

  test('an unknown option, a command’s usage, and the environment', async () => {
    const at = workplace();
    for (const args of [
      [`--${MARKER}`],
      ['check', `--${MARKER}`],
      [MARKER],
      ['a', 'b', MARKER],
      ['--probe-turns', MARKER],
    ]) {
      const { stdout, stderr } = await gymgenHere(args, { cwd: at.cwd });
      expect(escaped(`${stdout}\n${stderr}`)).toEqual([]);
    }
    at.edit('app.py', (text) => `${text}#`);
    await outputs(at, CHECK, { GITHUB_WORKSPACE: `/${FILE}`, GITHUB_ACTIONS: 'true' });
    await outputs(at, ['doctor'], { PATH: `/${FILE}`, VIRTUAL_ENV: FILE });
  });
});
