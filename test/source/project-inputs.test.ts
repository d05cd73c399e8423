import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { projectInputs } from '../../src/source/project-inputs.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gymgen-inputs-'));
  vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
  put('above/project/pyproject.toml', '[project]\nname = "x"\ndependencies = ["openenv==0.10.0"]\n');
  put('above/project/requirements.txt', 'openenv==0.10.0\n-r more/a.txt\n');
  put('above/project/more/a.txt', 'httpx\n-c b.txt\n');
  put('above/project/more/b.txt', 'anyio<5\n-r a.txt\n');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

const inputs = (file = 'pyproject.toml', folder = 'above/project') =>
  projectInputs(join(home, folder), join(home, folder, file));

test.each<[string, () => void, string?]>([
  ['the settings of uv', () => put('above/project/uv.toml', 'no-index = true')],
  ['the settings of uv in a folder above', () => put('above/uv.toml', 'no-index = true')],
  ['the settings of uv for this user', () => put('config/uv/uv.toml', 'no-index = true')],
  ['a workspace above', () => put('above/pyproject.toml', '[tool.uv]\noverride-dependencies = ["anyio<4"]')],
  ["uv's lock", () => put('above/project/uv.lock', 'version = 1')],
  ['the wanted Python', () => put('above/project/.python-version', '3.12')],
  ['an index of the environment', () => vi.stubEnv('UV_DEFAULT_INDEX', 'http://other/simple')],
  ['the requirements', () => put('above/project/requirements.txt', 'openenv==0.9.0\n'), 'requirements.txt'],
  ['included requirements', () => put('above/project/more/a.txt', 'httpx<1'), 'requirements.txt'],
  ['included constraints', () => put('above/project/more/b.txt', 'anyio<4'), 'requirements.txt'],
  [
    'constraints of the environment',
    () => {
      put('above/c.txt', 'anyio<4');
      vi.stubEnv('UV_CONSTRAINT', join(home, 'above/c.txt'));
    },
  ],
])('another environment is needed if %s changes', async (_, change, file) => {
  const before = await inputs(file);
  expect((await inputs(file)).identity).toBe(before.identity);
  change();
  expect((await inputs(file)).identity).not.toBe(before.identity);
});

test('two checkouts of one project have an environment each', async () => {
  put('other/project/pyproject.toml', '[project]\nname = "x"\ndependencies = ["openenv==0.10.0"]\n');
  expect((await inputs()).identity).not.toBe((await inputs('pyproject.toml', 'other/project')).identity);
});

test.each([
  ['openenv==0.10.0', true],
  ['openenv[core] >= 0.10 ; python_version < "4" --hash=sha256:0', true],
  ['openenv @ https://example.com/openenv-1-py3-none-any.whl', true],
  ['openenv @ git+https://example.com/openenv@main', true],
  ['git+https://example.com/openenv', true],
  ['--index-url https://example.com/simple', true],
  ['# ./comment', true],
  ['./vendored', false],
  ['vendored/pkg', false],
  ['/opt/vendored', false],
  ['..', false],
  ['pkg-1.0-py3-none-any.whl', false],
  ['file:///opt/vendored', false],
  ['pkg @ ./vendored', false],
  ['pkg @ file:///opt/vendored', false],
  ['-e .', false],
  ['--editable=./x', false],
  ['--find-links wheels', false],
  ['-r missing.txt', false],
  ['-r \\\n  local.txt', false],
])('requirements of %j are complete by their text: %s', async (line, complete) => {
  put('above/project/local.txt', './vendored');
  put('above/project/requirements.txt', `${line}\n`);
  expect((await inputs('requirements.txt')).complete).toBe(complete);
});

test.each([
  ['[project]\ndependencies = ["a @ ./a"]', false],
  ['[project]\ndynamic = ["dependencies"]', false],
  ['[project]\ndynamic = ["version"]', true],
  ['[tool.uv.sources]\na = { path = "../a" }', false],
  ['[tool.uv.sources]\na = [{ workspace = true }]', false],
  ['[tool.uv.sources]\na = { git = "https://example.com/a" }', true],
  ['[tool.uv]\nfind-links = ["wheels"]', false],
  ['[[tool.uv.index]]\nurl = "./wheels"', false],
  ['[[tool.uv.index]]\nurl = "https://example.com/simple"', true],
  ['[tool.setuptools]\npackage-dir = { a = "./x" }', true],
])('a pyproject.toml with %j is complete by its text: %s', async (toml, complete) => {
  put('above/project/pyproject.toml', toml);
  expect((await inputs()).complete).toBe(complete);
});

test('a uv.toml that finds packages in a folder is not complete by its text', async () => {
  put('above/project/uv.toml', 'find-links = ["./wheels"]');
  expect((await inputs()).complete).toBe(false);
});
