// Runs the steps of action.yml as GitHub does: each script with bash, in the workspace, with the inputs in its variables.

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { plainEnv, tempFolder } from './support/gymgen.js';
import { REPOSITORY } from './support/toolchain.js';

interface Action {
  inputs: Record<string, { description: string; default?: string; required?: true }>;
  runs: { using: string; steps: { name: string; shell: string; run: string; env?: Record<string, string> }[] };
}

const read = (file: string) => readFileSync(join(REPOSITORY, file), 'utf8');
const { inputs, runs } = parse(read('action.yml')) as Action;
/** The checkout of the action. */
const action = join(tempFolder(), 'action');

/** A workspace with a Gym root and its recording. */
function workspace(): string {
  const folder = tempFolder();
  const server = 'gym-root/resources_servers/gridsim_v1';
  cpSync(join(REPOSITORY, 'fixtures/roots/resources_servers/gridsim_v1'), join(folder, server), { recursive: true });
  cpSync(join(REPOSITORY, 'fixtures/roots/gridsim.jsonl'), join(folder, 'gridsim.jsonl'));
  return folder;
}

const rowsIn = (folder: string) => join(folder, 'gym-root/resources_servers/gridsim_v1/data/train.jsonl');

/** Runs the steps, up to the first that fails. */
async function use(workspace: string, given: Record<string, string>) {
  const values = Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [name, given[name] ?? input.default]),
  );
  const results = [];
  for (const { shell, run, env = {} } of runs.steps) {
    const variables = Object.entries(env).map(([name, expression]) => {
      const input = /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(expression)?.[1] as string;
      return [name, values[input] ?? ''] as const;
    });
    const github = { GITHUB_ACTION_PATH: action, GITHUB_WORKSPACE: workspace };
    const result = await execa(shell, ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
      cwd: workspace,
      extendEnv: false,
      env: plainEnv({ ...github, ...Object.fromEntries(variables) }),
      reject: false,
      all: true,
      stdin: 'ignore',
    });
    results.push(result);
    if (result.exitCode !== 0) break;
  }
  const { exitCode, stdout = '', all = '' } = results.at(-1) ?? {};
  return { steps: results.length, exitCode, stdout, all };
}

beforeAll(async () => {
  const { stdout } = await execa('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: REPOSITORY,
  });
  for (const file of stdout.split('\n').filter((name) => existsSync(join(REPOSITORY, name)))) {
    mkdirSync(dirname(join(action, file)), { recursive: true });
    cpSync(join(REPOSITORY, file), join(action, file));
  }
});

test('no script contains an expression: inputs come in variables', () => {
  expect(runs.using).toBe('composite');
  for (const { run, env = {} } of runs.steps) {
    expect(run).not.toContain('${{');
    for (const value of Object.values(env)) expect(value).toMatch(/^\$\{\{ inputs\.[a-z-]+ \}\}$/);
  }
});

test('docs/ci.md lists the inputs', () => {
  const listed = [...read('docs/ci.md').matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(listed).toEqual(expect.arrayContaining(Object.keys(inputs)));
});

describe('check', () => {
  const recording = { 'gym-root': 'gym-root', source: 'gridsim.jsonl' };

  test('builds gymgen in a checkout, and passes if the Gym root is up to date', async () => {
    expect(existsSync(join(action, 'dist'))).toBe(false);
    expect(await use(workspace(), recording)).toMatchObject({ steps: 2, exitCode: 0 });
  });

  test('fails if a row was changed, with an annotation at its line', async () => {
    const folder = workspace();
    const rows = rowsIn(folder);
    writeFileSync(rows, readFileSync(rows, 'utf8').replace('"content":"', '"content":"Mind: '));
    const { exitCode, stdout } = await use(folder, recording);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^::error file=gym-root\/resources_servers\/gridsim_v1\/data\/train\.jsonl,line=1\b/m);
  });

  test('takes the source from the lock file if the input is missing', async () => {
    const folder = workspace();
    const lock = join(folder, 'gym-root/resources_servers/gridsim_v1/gymgen.lock.json');
    // No server listens on port 1; on the example's own port there may be one.
    writeFileSync(lock, readFileSync(lock, 'utf8').replace('127.0.0.1:8000', '127.0.0.1:1'));
    const { exitCode, all } = await use(folder, { 'gym-root': 'gym-root', options: '--max-sessions\n1' });
    expect({ exitCode, all }).toEqual({ exitCode: 2, all: expect.stringContaining('connection refused') });
  });
});

describe('write', () => {
  test('writes the Gym root, with one option on each line', async () => {
    const folder = workspace();
    const given = { command: 'write', source: 'gridsim.jsonl', 'gym-root': 'new root' };
    const options = '--split\ntrain\n\n--append-system-prompt\nThink; $(touch ran) first.\n';
    expect(await use(folder, { ...given, options })).toMatchObject({ steps: 2, exitCode: 0 });
    const rows = readFileSync(join(folder, 'new root/resources_servers/gridsim_v1/data/train.jsonl'), 'utf8');
    expect(rows).toContain('Think; $(touch ran) first.');
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  test('needs a source', async () => {
    const { exitCode, all } = await use(workspace(), { command: 'write', 'gym-root': 'gym-root' });
    expect({ exitCode, all }).toEqual({ exitCode: 2, all: expect.stringContaining('<source> is empty') });
  });
});

test.each([
  ['another command', { command: 'update', 'gym-root': 'gym-root' }, "the input 'command' is neither check nor write"],
  ['an option as the Gym root', { 'gym-root': '--help' }, '--help'],
  ['a command line as the source', { 'gym-root': 'gym-root', source: '"; touch ran; "' }, 'touch ran'],
])('%s is refused', async (_, given, message) => {
  const folder = workspace();
  const { exitCode, all } = await use(folder, given);
  expect({ exitCode, all }).toEqual({ exitCode: 2, all: expect.stringContaining(message) });
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});
