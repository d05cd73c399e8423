import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { requestOf } from '../../src/operations/request.js';
import { RecordedFlags } from '../../src/options/flags.js';
import { type Flags, optionsOf } from '../../src/options/index.js';
import { failureOf } from '../support/failure-of.js';

const request = (flags: Flags) => requestOf('http://h', 'root', flags);
const refusal = (flags: Flags) => failureOf((async () => request(flags))());

test('without options: the defaults', () => {
  expect(request({})).toMatchObject({
    source: 'http://h',
    gymRoot: 'root',
    discover: {
      headers: {},
      splits: [],
      limit: Number.POSITIVE_INFINITY,
      probes: 32,
      turns: 'all',
      maxSessions: 8,
      resetTimeout: 600,
      toolTimeout: 60,
    },
    gym: {
      headers: {},
      renameTools: {},
      settings: {},
      datasets: { splits: 'usual', license: 'TBD' },
      fullIds: false,
    },
    record: {},
    edits: 'refuse',
    dryRun: false,
  });
});

describe('an invalid value is reported with its option', () => {
  const bad: [flags: Flags, told: RegExp][] = [
    ...['0', '-1', '1.5', 'x', '', ' ', '1e3', '99999999999999999999', 'Infinity'].flatMap(
      (value): [Flags, RegExp][] => [
        [{ limit: value }, /^--limit (must|is too large)/m],
        [{ maxSessions: value }, /^--max-sessions (must|is too large)/m],
        [{ maxSteps: value }, /^--max-steps (must|is too large)/m],
        [{ probes: value }, /^--probes (must|is too large)/m],
      ],
    ),
    ...['0', '-1', 'x', '', ' ', '1s', 'Infinity', 'NaN', '1e9', '0.0001'].flatMap((value): [Flags, RegExp][] => [
      [{ resetTimeout: value }, /^--reset-timeout (must|is too)/m],
      [{ toolTimeout: value }, /^--tool-timeout (must|is too)/m],
      [{ idleTimeout: value }, /^--idle-timeout (must|is too)/m],
    ]),
    ...['', '=', 'a=', '=b', 'a'].map((value): [Flags, RegExp] => [
      { renameTool: [value] },
      /^--rename-tool must be OLD=NEW/m,
    ]),
    ...['', ':', 'a:', ':b', 'a'].map((value): [Flags, RegExp] => [
      { header: [value] },
      /^--header must be 'Name: value'/m,
    ]),
    ...['', '=', 'a=', '=b', 'a'].map((value): [Flags, RegExp] => [{ headerEnv: [value] }, /^--header-env must be/m]),
    ...['', 'train', 'train=', 'test=a', 'train=a,train=b', 'train=a,,', 'example=a'].map((value): [Flags, RegExp] => [
      { datasets: value, license: 'MIT' },
      /^--datasets must be train=SPLIT,validation=SPLIT/m,
    ]),
    [{ probeTurns: 'last' as 'all' }, /^--probe-turns /m],
  ];
  test.each(bad)('%j', async (flags, told) => {
    expect(await refusal(flags)).toMatch(told);
  });

  test('all at once', async () => {
    const refused = await refusal({ limit: '0', probes: 'some', toolTimeout: 'x' });
    expect(refused.split('\n')).toHaveLength(5);
  });
});

describe('a valid value', () => {
  const good: [flags: Flags, want: object][] = [
    [{ limit: '10', probes: '1', maxSessions: '2' }, { discover: { limit: 10, probes: 1, maxSessions: 2 } }],
    [{ probes: 'all', probeTurns: 'first' }, { discover: { probes: Number.POSITIVE_INFINITY, turns: 'first' } }],
    [
      { resetTimeout: '0.5', toolTimeout: '30', idleTimeout: '1e3', maxSteps: '4' },
      {
        discover: { resetTimeout: 0.5, toolTimeout: 30 },
        gym: { settings: { reset_timeout: 0.5, tool_timeout: 30, idle_timeout: 1000, max_steps: 4 } },
      },
    ],
    [{ split: ['a', 'b=c'] }, { discover: { splits: ['a', 'b=c'] } }],
    [{ renameTool: ['a.b=a_b', 'x= y=z'] }, { gym: { renameTools: { 'a.b': 'a_b', x: 'y=z' } } }],
    [{ header: ['K: a:b', 'x:y'] }, { discover: { headers: { K: 'a:b', x: 'y' } }, gym: { headers: {} } }],
    [
      { datasets: 'train=a, validation=b c', license: 'MIT' },
      { gym: { datasets: { splits: { train: 'a', validation: 'b c' }, license: 'MIT' } } },
    ],
    [{ datasets: 'train=a' }, { gym: { datasets: { splits: { train: 'a' }, license: 'TBD' } } }],
    [{ license: 'MIT' }, { gym: { datasets: { splits: 'usual', license: 'MIT' } } }],
    [{ datasets: 'none' }, { gym: { datasets: { splits: 'none' } } }],
    [
      { name: 'n', configUrl: 'http://c', fullIds: true },
      { name: 'n', configUrl: 'http://c', gym: { fullIds: true } },
    ],
    [{ appendSystemPrompt: 'End it.' }, { gym: { appendSystemPrompt: 'End it.' } }],
  ];
  test.each(good)('%j', (flags, want) => {
    expect(request(flags)).toMatchObject(want);
  });
});

test('a license without datasets is refused', async () => {
  expect(await refusal({ datasets: 'none', license: 'MIT' })).toMatch(/^--license needs datasets/);
});

describe('--append-system-prompt @FILE', () => {
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), 'gymgen-prompt-'));
    onTestFinished(() => rmSync(made, { recursive: true }));
    return made;
  };

  test("is the file's text, without CR and without the last line break", () => {
    const file = join(folder(), 'p.txt');
    writeFileSync(file, 'One.\r\nTwo é.\r\n');
    const { gym, record } = request({ appendSystemPrompt: `@${file}` });
    expect(gym.appendSystemPrompt).toBe('One.\nTwo é.');
    expect(record).toEqual({ appendSystemPrompt: 'One.\nTwo é.' });
  });

  test.each(['nothing-there', '.'])('of a missing file names it: %s', async (name) => {
    const file = join(folder(), name);
    expect(await refusal({ appendSystemPrompt: `@${file}` })).toContain(`at: ${file}`);
  });
});

// Their values contain `${VAR}` as a user writes it.
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: no templates of ours
describe('headers', () => {
  test('$VAR and ${VAR} of --header-env are replaced for probing, and written as they are', () => {
    vi.stubEnv('TEST_TOKEN', 'hunter2');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { discover, gym, record } = request({
      headerEnv: ['Authorization=Bearer $TEST_TOKEN', 'X-K=${TEST_TOKEN}$TEST_TOKEN'],
    });
    expect(discover.headers).toEqual({ Authorization: 'Bearer hunter2', 'X-K': 'hunter2hunter2' });
    expect(gym.headers).toEqual({ Authorization: 'Bearer $TEST_TOKEN', 'X-K': '${TEST_TOKEN}$TEST_TOKEN' });
    expect(JSON.stringify([gym, record])).not.toContain('hunter2');
  });

  test('a missing variable is named', async () => {
    expect(await refusal({ headerEnv: ['A=Bearer ${NO_SUCH_VAR}'] })).toMatch(
      /names \$NO_SUCH_VAR, which is not set\nfix: export NO_SUCH_VAR=/,
    );
  });

  test('--header overrides --header-env, and is never recorded', () => {
    vi.stubEnv('TEST_TOKEN', 'env');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { discover, gym, record } = request({ header: ['A: mine'], headerEnv: ['A=$TEST_TOKEN'] });
    expect(discover.headers).toEqual({ A: 'mine' });
    expect(JSON.stringify([gym, record])).not.toContain('mine');
  });

  test.each(['a b', 'é', 'a(b)', 'a\nb'])('an invalid name is refused: %j', async (name) => {
    expect(await refusal({ header: [`${name}: v`] })).toMatch(/invalid header/);
  });

  test.each(['hunter2\nX: y', 'hunter2\u0000', 'hunter2 \u4e2d'])(
    'an invalid value is refused, and not shown: %j',
    async (value) => {
      const refused = await refusal({ header: [`Authorization: ${value}`] });
      expect(refused).toMatch(/Authorization/);
      expect(refused).not.toContain('hunter2');
    },
  );
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: no templates of ours

describe('an option is refused', () => {
  test.each<[Flags, RegExp]>([
    [{ fixField: ['a=1', 'b=2', 'a=3'] }, /^--fix-field is repeated for a$/m],
    [{ renameTool: ['a=b', 'a=c'] }, /^--rename-tool is repeated for a$/m],
    [{ header: ['A: 1', 'a: 2'] }, /^--header is repeated for a$/m],
    [{ headerEnv: ['A=$HOME', 'a=$PATH'] }, /^--header-env is repeated for a$/m],
  ])('if it is repeated for one key: %j', async (flags, told) => expect(await refusal(flags)).toMatch(told));

  test.each(['Host', 'connection', 'Content-Length', 'content-type', 'Transfer-Encoding', 'TE', 'Sec-WebSocket-Key'])(
    'for a header that HTTP sets itself: %s',
    async (name) => {
      expect(await refusal({ header: [`${name}: x`] })).toMatch(`the header ${name} is set by the HTTP client`);
      expect(await refusal({ headerEnv: [`${name}=$HOME`] })).toMatch(`the header ${name} is set by the HTTP client`);
    },
  );

  test.each(['Bearer hunter2', 'hunter2$', 'hunter2 $-', '$'])(
    'for a value without a variable, which may be a secret: --header-env A=%s',
    async (value) => {
      const refused = await refusal({ headerEnv: [`Authorization=${value}`] });
      expect(refused).toMatch(/^--header-env Authorization has no \$VAR in its value/);
      expect(refused).toContain("use single quotes: --header-env 'Authorization=$VAR'");
      expect(refused).not.toContain('hunter2');
    },
  );
});

test('a path of --python is relative to the current folder, and a name is looked up on PATH', () => {
  expect(request({ python: 'venv/bin/python' }).bundle?.python).toBe(resolve('venv/bin/python'));
  expect(request({ python: './python' }).bundle?.python).toBe(resolve('python'));
  expect(request({ python: '/usr/bin/python3' }).bundle?.python).toBe('/usr/bin/python3');
  expect(request({ python: 'python3.13' }).bundle?.python).toBe('python3.13');
});

describe('a text file', () => {
  const promptOf = (bytes: Buffer | string) => {
    const folder = mkdtempSync(join(tmpdir(), 'gymgen-text-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'p.txt');
    writeFileSync(file, bytes);
    return { toolDoc: `@${file}` };
  };

  test('has no byte order mark', () => {
    expect(request(promptOf('\ufeffHallo\r\nWelt\n')).discover.action?.doc).toBe('Hallo\nWelt');
  });

  test.each([
    [
      'Windows-1252',
      Buffer.from('eins\nzw\xf6lf', 'latin1'),
      /^line is not UTF-8\nat: .*p\.txt:2\nfix: save it as UTF-8/,
    ],
    ['UTF-16', Buffer.from('\ufeffeins', 'utf16le'), /^file is UTF-16, not UTF-8\nat: .*p\.txt\n/],
    ['UTF-16, big-endian', Buffer.from('\ufeffeins', 'utf16le').swap16(), /^file is UTF-16/],
    ['UTF-16 without a mark', Buffer.from('eins', 'utf16le'), /^line contains a NUL character\nat: .*p\.txt:1\n/],
  ])('in %s is refused', async (_, bytes, told) => expect(await refusal(promptOf(bytes))).toMatch(told));
});

test('the lock file gets only the options that decide the result, in a fixed order', () => {
  const flags = {
    split: ['b', 'a'],
    name: 'n',
    limit: '5',
    header: ['A: secret'],
    headerEnv: [],
    json: true,
    quiet: true,
    verbose: true,
  };
  const { record } = request({ ...flags, dryRun: true, force: true });
  expect(JSON.stringify(record)).toBe('{"limit":"5","name":"n","split":["b","a"]}');
});

describe('each option of write is either recorded in the lock file or refused there', () => {
  const UNRECORDED = [
    ...['absolute', 'sandbox', 'python', 'header', 'trustRecording', 'strict'],
    ...['dryRun', 'diff', 'force', 'json', 'quiet', 'verbose'],
  ];
  const VALUES: Record<string, unknown> = {
    name: 'n',
    split: ['a'],
    limit: '1',
    probes: '1',
    probeTurns: 'first',
    maxSessions: '1',
    resetTimeout: '1',
    toolTimeout: '1',
    idleTimeout: '1',
    renameTool: ['a=b'],
    configUrl: 'http://h',
    reward: 'r',
    rewardRule: 'sum',
    maxConcurrentEnvs: '1',
    headerEnv: ['A=$HOME'],
    maxSteps: '1',
    appendSystemPrompt: 't',
    datasets: 'train=a',
    license: 'MIT',
    fullIds: true,
    tasks: 'tasks.csv',
    episodes: '1',
    seed: '1',
    seedKey: 's',
    prompt: 't',
    promptField: ['p'],
    hideField: ['h'],
    fixField: ['f=1'],
    toolDoc: 't',
  };
  const flags = optionsOf('write').map(({ name }) => name);

  test('the two lists contain every option once', () => {
    expect([...UNRECORDED, ...Object.keys(VALUES)].sort()).toEqual([...flags].sort());
  });

  test.each(Object.entries(VALUES))('%s is recorded, and accepted in a lock file', (key, value) => {
    const more = ['seed', 'seedKey', 'prompt', 'promptField'].includes(key) ? { episodes: '1' } : {};
    const { record } = request({ ...more, [key]: value } as Flags);
    expect(record).toEqual({ ...more, [key]: value });
    expect(RecordedFlags.safeParse(record).success).toBe(true);
  });

  test.each(UNRECORDED)('%s is not recorded, and refused in a lock file', (key) => {
    const value = key === 'header' ? ['A: b'] : ['sandbox', 'python'].includes(key) ? 'x' : true;
    expect(request({ [key]: value } as Flags).record).toEqual({});
    expect(RecordedFlags.safeParse({ [key]: value }).success).toBe(false);
  });
});
