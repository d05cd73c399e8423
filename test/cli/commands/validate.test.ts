import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ValidateDocument } from '../../../src/documents/schemas/validate.js';
import { gymgenHere } from '../../support/cli-here.js';
import { escaped, MARKER } from '../../support/marker.js';
import { copyOf, makeBroken, tempFolder, withToolchain } from '../../validate/support.js';

let folder: string;

beforeAll(() => {
  withToolchain();
  folder = makeBroken('manifest-key', 'requirements-empty', 'row-blank', 'manifest-nested');
}, 120_000);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Each run of `gymgenHere` restores the environment. */
const gymgen = (...args: string[]) => {
  withToolchain();
  return gymgenHere(['validate', ...args], { cwd: folder });
};

test('a package and its dataset are valid', async () => {
  const ran = await gymgen('good-native', 'good-dataset');
  expect(ran).toEqual({
    stdout: 'valid package good-native\nvalid dataset good-dataset: 6 rows\n',
    stderr: '',
    exitCode: 0,
  });
});

test('a finding has its rule, place, reason and fix', async () => {
  const { stdout, exitCode } = await gymgen('manifest-key');
  expect(exitCode).toBe(1);
  expect(stdout).toBe(
    `error: key 'version' is unknown [manifest-key]
  at:  manifest-key/nemo-environment.yaml:7
  why: Both loaders forbid other keys and values (\`EnvironmentManifest\`, nhx/rl/schemas/environment.py). Found when the job is submitted.
  fix: remove it
invalid package manifest-key: 1 error
`,
  );
});

test('a warning makes the exit code 1 only with --strict', async () => {
  expect((await gymgen('requirements-empty')).exitCode).toBe(0);
  const strict = await gymgen('requirements-empty', '--strict');
  expect([strict.exitCode, strict.stdout.split('\n').at(-2)]).toEqual([
    1,
    'invalid package requirements-empty: 1 error',
  ]);
});

describe('the last line says what was not judged', () => {
  const unseen = (...args: string[]) =>
    gymgenHere(['validate', ...args], { cwd: folder, env: { PATH: '/nowhere', XDG_CACHE_HOME: '/nowhere' } });
  const lastOf = ({ stdout }: { stdout: string }) => stdout.split('\n').at(-2);

  test('without uv, which --strict does not accept', async () => {
    const found = await unseen('good-native');
    expect([found.exitCode, found.stderr, lastOf(found)]).toEqual([
      ...[0, '', 'valid package good-native: 1 warning; not judged: Python files: uv not found'],
    ]);
    const strict = await unseen('good-native', '--strict');
    expect([strict.exitCode, lastOf(strict)]).toEqual([
      ...[1, 'invalid package good-native: 1 error; not judged: Python files: uv not found'],
    ]);
  });

  test('of several instances, which are named before', async () => {
    const config = 'resources_servers/weather/configs/weather.yaml';
    const text = readFileSync(join(folder, 'good-native', config), 'utf8');
    const copy = copyOf(join(folder, 'good-native'), { [config]: `config_paths: []\n${text}` });
    const found = await gymgen(copy);
    const [one, ...more] = found.stderr.trim().split('\n');
    expect(one).toMatch(/^not judged: instance weather\w* of \S+: only NeMo Gym resolves it; pass --python$/);
    expect(lastOf(found)).toMatch(new RegExp(`; not judged: ${1 + more.length} parts$`));
  });
});

test('--github prints an annotation for each finding', async () => {
  withToolchain();
  const { stdout } = await gymgenHere(['validate', 'row-blank', 'requirements-empty', '--github'], {
    cwd: folder,
    env: { GITHUB_WORKSPACE: folder },
  });
  expect(stdout.split('\n').filter((line) => line.startsWith('::'))).toEqual([
    '::error file=row-blank/training.jsonl,line=2,title=gymgen validate%3A row-blank::line is blank%0Afix: remove it',
    expect.stringMatching(/^::warning file=requirements-empty\/resources_servers\/weather\/requirements\.txt,title=/),
  ]);
});

test('--json prints the document that docs/json.md describes', async () => {
  const { stdout, exitCode } = await gymgen('row-blank', '--package', 'good-native', '--json');
  const document = ValidateDocument.parse(JSON.parse(stdout));
  expect(exitCode).toBe(1);
  expect(document).toMatchObject({ status: 'invalid', errors: 1, warnings: 0 });
  expect(document.targets[0]).toMatchObject({
    kind: 'dataset',
    path: 'row-blank',
    findings: [{ code: 'row-blank', file: 'training.jsonl', line: 2, row: 2, when: 'start', more: 0 }],
    rows: [
      { file: 'training.jsonl', rows: 3 },
      { file: 'validation.jsonl', rows: 2 },
    ],
  });
});

test('foreign text leaves no line', async () => {
  const quoted = JSON.stringify(MARKER);
  const copy = copyOf(join(folder, 'good-native'), {
    'nemo-environment.yaml': `format: ${quoted}\nconfig_paths: [${quoted}]\n${quoted}: 1\nmetadata: {${quoted}: 1}\n`,
  });
  const { stdout, stderr } = await gymgen(copy, '--github');
  expect(stdout).toContain('[manifest-key]');
  expect(escaped(stdout + stderr, /^::(?:error|warning) file=[^:]*::/)).toEqual([]);
});

describe('ends with 2:', () => {
  test.each([
    [['nowhere'], /no such file or folder[\s\S]*at: {2}nowhere/],
    [['cases.json'], /gymgen cannot validate this path[\s\S]*cases\.json/],
    [['good-native', '--pin', 'ray'], /--pin ray[\s\S]*use NAME==VERSION of nemo-gym, ray, openai/],
    [['good-native', '--platform', 'windows'], /platform/],
    [['good-dataset', '--package', 'good-dataset'], /not a package/],
    [[], /missing required argument 'targets'/],
  ])('%j', async (args, message) => {
    const { stderr, exitCode } = await gymgen(...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test('an empty folder', async () => {
    const { stderr, exitCode } = await gymgen(tempFolder());
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('gymgen cannot validate this path')]);
  });
});

test('a package that is one folder deeper is a package', async () => {
  expect((await gymgen('manifest-nested')).stdout).toContain('[manifest-nested]');
});

test('nemo-environment.yaml and one file of rows can be named', async () => {
  const { stdout } = await gymgen('good-native/nemo-environment.yaml', 'good-dataset/validation.jsonl');
  expect(stdout).toBe(
    'valid package good-native/nemo-environment.yaml\nvalid dataset good-dataset/validation.jsonl: 2 rows\n',
  );
});

test('a credential in a config is masked', async () => {
  const copy = copyOf(join(folder, 'good-native'));
  const config = join(copy, 'resources_servers/weather/configs/weather.yaml');
  writeFileSync(
    config,
    'weather:\n  resources_servers:\n    weather:\n      entrypoint: "https://u:secret@host/x.py"\n',
  );
  const { stdout, stderr } = await gymgen(copy, '--json');
  expect(stdout + stderr).not.toContain('secret');
});
