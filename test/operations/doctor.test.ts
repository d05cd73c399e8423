import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { doctor } from '../../src/operations/doctor/index.js';
import { headPortCheck } from '../../src/operations/doctor/machine.js';
import { cachedFolder } from '../../src/source/cache.js';
import { lockedRequirements } from '../../src/source/programs.js';

const signal = new AbortController().signal;
const GYM_PYTHON = 'Python >=3.13.14,<3.14';

/** A PATH with only these programs, which are shell scripts. Returns its folder. */
function onlyPrograms(programs: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-path-'));
  for (const [name, text] of Object.entries(programs)) addProgram(folder, name, text);
  vi.stubEnv('PATH', folder);
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  vi.stubEnv('VIRTUAL_ENV', '');
  for (const name of ['https_proxy', 'all_proxy', 'no_proxy', 'ALL_PROXY', 'NO_PROXY']) vi.stubEnv(name, '');
  return folder;
}

function addProgram(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

afterEach(() => vi.unstubAllEnvs());

const says = (line: string) => `echo '${line}'`;

/** A uv that finds a Python which is on PATH under its version, as `python-3.13.15`. */
const uv = (settings = 'python_downloads: Never', url = '') => `
echo "$*" >> "$0.log"
case "$*" in
  --version) echo 'uv 0.9.0' ;;
  'python find'*) for last in "$@"; do :; done; command -v "python-$last" ;;
  --show-settings*) echo '${settings}' ;;
  'python list'*) echo '[{"url":"${url}"}]' ;;
esac`;

/** A `gym` whose Python has this version and is based on another one. */
function addGym(folder: string, version: string, prefix: string): void {
  const answer = JSON.stringify({ gym: '0.7.0', python: version, prefix });
  addProgram(join(folder, 'venv'), 'python', says(answer));
  writeFileSync(join(folder, 'gym'), `#!${join(folder, 'venv/python')}\n`, { mode: 0o755 });
}

const checkOf = async (name: string) => (await doctor(signal)).find((check) => check.name === name);

/** The URL of a port that accepts connections. */
async function openPort(): Promise<string> {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('finds only Node, space and a port on an empty machine, and shows the use and the fix of each need', async () => {
  onlyPrograms({});
  const checks = (await doctor(signal)).filter(({ name }) => !name.startsWith('Port'));
  expect(checks.map(({ name, found, needed }) => [name, found !== null, needed])).toEqual([
    ['Node.js 20 or newer', true, true],
    ['uv', false, true],
    [GYM_PYTHON, false, true],
    ['agentenv-framework[openenv]', false, true],
    ['gym', false, true],
    ['3 GB of free disk space', true, true],
    ['Docker', false, false],
  ]);
  for (const { use, fix } of checks) expect([use, fix]).not.toContain('');
  for (const { found, fix } of checks) expect(found !== null || fix !== undefined).toBe(true);
});

test('finds programs with their versions', async () => {
  const folder = onlyPrograms({
    uv: uv(),
    'python-3.13.15': says('3.13.15'),
    python3: says('3.14.1'),
    docker: says('28'),
  });
  addGym(folder, '3.13.15', '/nowhere');
  const found = Object.fromEntries((await doctor(signal)).map(({ name, found }) => [name, found]));
  expect(found).toMatchObject({
    uv: `0.9.0, ${folder}/uv`,
    'Python 3.13.15': `3.13.15, ${folder}/python-3.13.15`,
    'agentenv-framework[openenv]': '3.14.1, python3',
    gym: `0.7.0, ${folder}/gym`,
    Docker: `28, ${folder}/docker`,
  });
});

test('does not need AgentEnv and NeMo Gym if uv can install them', async () => {
  onlyPrograms({ uv: uv() });
  for (const name of ['agentenv-framework[openenv]', 'gym']) {
    expect(await checkOf(name)).toMatchObject({ found: null, needed: false });
  }
});

describe('uv', () => {
  test("is a warning if only gymgen's own uv exists, and the fix puts that uv on PATH", async () => {
    onlyPrograms({});
    const folder = await cachedFolder('uv', readFileSync(lockedRequirements('uv'), 'utf8'), async (fresh) => {
      addProgram(join(fresh, 'bin'), 'uv', uv());
    });
    expect(await checkOf('uv')).toMatchObject({
      found: `0.9.0, ${join(folder, 'bin/uv')}`,
      warning: "gymgen's own, not on PATH: only NeMo Gym's own commands need it there",
      fix: `export PATH="$PATH":${join(folder, 'bin')}`,
    });
    expect(await checkOf(GYM_PYTHON)).toMatchObject({ problem: 'uv finds none outside of virtual environments' });
  });

  test.each([
    ['pip installs packages', { python3: says('pip'), curl: '' }, 'python3 -m pip install uv'],
    ['pip may not install', { python3: says('venv'), curl: '' }, 'curl -LsSf https://astral.sh/uv/install.sh | sh'],
    ['pipx exists', { python3: says('venv'), pipx: '', curl: '' }, 'pipx install uv'],
    ['nothing else exists', {}, 'https://docs.astral.sh/uv/getting-started/installation/'],
  ])('is installed in a way that works here if %s', async (_, programs, fix) => {
    onlyPrograms(programs);
    vi.stubEnv('HTTPS_PROXY', await openPort());
    expect(await checkOf('uv')).toMatchObject({ found: null, fix });
  });

  test('is installed in a virtual environment if its site cannot be reached and pip may not install', async () => {
    onlyPrograms({ python3: says('venv'), curl: '' });
    vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1/');
    expect((await checkOf('uv'))?.fix).toBe(
      'python3 -m venv ~/.local/uv-venv && ~/.local/uv-venv/bin/pip install uv && export PATH="$PATH":~/.local/uv-venv/bin',
    );
  });
});

describe("NeMo Gym's Python", () => {
  test('is searched by uv with the version of the Python that runs gym, outside of virtual environments', async () => {
    const folder = onlyPrograms({ uv: uv(), python3: says('3.13.15'), 'python3.13': says('3.13.15') });
    addGym(folder, '3.13.15', '/nowhere');
    expect(await checkOf('Python 3.13.15')).toMatchObject({
      found: null,
      problem: 'uv finds none outside of virtual environments',
      fix: expect.stringMatching(/^install CPython 3\.13\.15 \(/),
      needed: true,
    });
    const asked = readFileSync(join(folder, 'uv.log'), 'utf8').split('\n');
    expect(asked).toContain('python find --no-project --system 3.13.15');
  });

  test('is searched with the versions that gymgen play accepts if there is no gym', async () => {
    const folder = onlyPrograms({ uv: uv(), 'python->=3.13.14,<3.14': says('3.13.14') });
    expect(await checkOf(GYM_PYTHON)).toMatchObject({ found: `3.13.14, ${folder}/python->=3.13.14,<3.14` });
  });

  test('only has to be put on PATH if a virtual environment is based on it', async () => {
    const folder = onlyPrograms({ uv: uv() });
    addProgram(join(folder, 'the base/bin'), 'python-3.13.15', '');
    addGym(folder, '3.13.15', join(folder, 'the base'));
    expect(await checkOf('Python 3.13.15')).toMatchObject({
      found: null,
      fix: `export PATH="$PATH":'${join(folder, 'the base/bin')}'`,
    });
  });

  test('is unknown without uv', async () => {
    onlyPrograms({ python3: says('3.13.15') });
    expect(await checkOf(GYM_PYTHON)).toMatchObject({ found: null, problem: 'unknown without uv', needed: true });
  });

  test('is not needed if uv downloads it', async () => {
    onlyPrograms({ uv: uv('python_downloads: Automatic', await openPort()) });
    expect(await checkOf(GYM_PYTHON)).toMatchObject({
      found: null,
      fix: "uv downloads it when NeMo Gym needs it; to download it now: uv python install '>=3.13.14,<3.14'",
      needed: false,
    });
  });

  test('is downloaded by hand if uv downloads only on demand', async () => {
    onlyPrograms({ uv: uv('python_downloads: Manual', await openPort()) });
    expect(await checkOf(GYM_PYTHON)).toMatchObject({ fix: "uv python install '>=3.13.14,<3.14'", needed: true });
  });

  test.each([
    ['are turned off', 'python_downloads: Never', undefined],
    ['are offline', 'connectivity: Offline python_downloads: Automatic', undefined],
    ['are not used', 'python_preference: OnlySystem python_downloads: Automatic', undefined],
    ['cannot be reached', 'python_downloads: Automatic', 'http://127.0.0.1:1/'],
    ['are unknown to uv', 'python_downloads: Automatic', ''],
  ])("is not to be downloaded with uv if uv's downloads %s", async (_, settings, url) => {
    onlyPrograms({ uv: uv(settings, url ?? (await openPort())) });
    expect(await checkOf(GYM_PYTHON)).toMatchObject({ needed: true, fix: expect.stringMatching(/^install CPython 3/) });
  });

  test.each([
    ['3.13.14-1', /^(sudo )?apt-get install python3\.13$/],
    ['3.13.5-2', /^install CPython 3\.13\.14 or newer /],
    ['(none)', /^install CPython 3\.13\.14 or newer /],
  ])("is the distribution's package only if the package is new enough: %s", async (version, fix) => {
    onlyPrograms({ uv: uv(), 'apt-cache': `printf 'python3.13:\\n  Candidate: ${version}\\n'` });
    expect(await checkOf(GYM_PYTHON)).toMatchObject({ fix: expect.stringMatching(fix), needed: true });
  });

  test('is built by the script of the package as root, if Debian has its source', async () => {
    onlyPrograms({ uv: uv(), bash: '', 'apt-get': '' });
    const { fix = '' } = (await checkOf(GYM_PYTHON)) ?? {};
    const script = /^export PATH="\$PATH:\$\(dirname "\$\((\S+)\)"\)"$/.exec(fix)?.[1];
    if (process.getuid?.() === 0) expect(existsSync(script as string)).toBe(true);
    else expect(script).toBeUndefined();
  });
});

describe('gym', () => {
  test('is not another program of that name', async () => {
    onlyPrograms({ gym: 'exit 1' });
    expect(await checkOf('gym')).toMatchObject({ found: null });
  });

  test('is found if the path of its Python is too long for the first line of a script', async () => {
    const folder = onlyPrograms({ uv: uv() });
    addGym(folder, '3.13.15', '/nowhere');
    const python = join(folder, 'venv/python');
    addProgram(folder, 'gym', `'''exec' "${python}" "$0" "$@"\n' '''\nimport sys`);
    expect(await checkOf('gym')).toMatchObject({ found: `0.7.0, ${folder}/gym` });
  });
});

describe('the machine', () => {
  test('needs free space, also for the cache', async () => {
    onlyPrograms({});
    vi.stubEnv('XDG_CACHE_HOME', '/proc/gymgen'); // a file system without space
    expect(await checkOf('3 GB of free disk space')).toMatchObject({ found: null, problem: '0.0 GB in /proc' });
  });

  test("has a warning if the port of NeMo Gym's head server is in use, and the fix names another port", async () => {
    const port = Number(new URL(await openPort()).port);
    const { fix, ...check } = await headPortCheck(port);
    expect(check).toMatchObject({ name: `Port ${port}`, found: 'in use', warning: expect.any(String) });
    const other = Number(/\+\+head_server\.port=(\d+)/.exec(fix ?? '')?.[1]);
    expect(await headPortCheck(other)).not.toHaveProperty('warning');
  });

  test('may have Docker without its daemon', async () => {
    const folder = onlyPrograms({ docker: 'exit 1' });
    expect(await checkOf('Docker')).toMatchObject({
      found: null,
      problem: `${folder}/docker cannot reach the Docker daemon`,
      fix: 'start Docker',
      needed: false,
    });
  });
});
