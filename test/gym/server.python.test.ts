// Runs the Python of the golden folders under the real NeMo Gym. The types tier checks it with pyright.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askGym, gymPython } from './gym-python.js';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const GOLDEN = ['plain', 'provided', 'bundle', 'everything'];

let root: string;
const folderOf = (name: string) => join(root, name);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gymgen-server-'));
  for (const name of GOLDEN) {
    await cp(join(REPOSITORY, 'fixtures/golden', name), folderOf(name), { recursive: true });
    for (const folder of name === 'bundle' ? ['openenv_bridge', 'bundle_child'] : ['openenv_bridge']) {
      await cp(join(REPOSITORY, 'templates/server', folder), join(folderOf(name), folder), { recursive: true });
    }
  }
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

/** As `gym env test` runs them: in the folder, where Python finds the modules. */
const OWN_TESTS = `
import os
import pytest
before = os.getcwd()
os.chdir(given)
sys.path.insert(0, given)
code = pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:asyncio", given])
sys.path.remove(given)
os.chdir(before)
for name in [name for name in sys.modules if name.split(".")[0] in {"app", "bundle_child", "openenv_bridge", "task_data", "test_app"}]:
    del sys.modules[name]
said = sys.stdout.getvalue()
print()
json.dump([int(code), said], sys.stdout)
`;

it.for(GOLDEN)('%s passes its own tests', async (name) => {
  const [code, said] = await askGym<[number, string]>(OWN_TESTS, folderOf(name));
  expect(said).toMatch(/^3 passed/m);
  expect(code).toBe(0);
});

it('passes ruff, whatever the server says', async () => {
  const own = ['app.py', 'task_data.py', 'tests'].map((path) => join(folderOf('everything'), path));
  const ruff = (...args: string[]) =>
    execa(gymPython(), ['-m', 'ruff', ...args, '--no-cache', ...own], { all: true, reject: false });
  expect(await ruff('check')).toMatchObject({ exitCode: 0, all: expect.stringMatching(/All checks passed/) });
  expect(await ruff('format', '--check')).toMatchObject({
    exitCode: 0,
    all: expect.stringMatching(/already formatted/),
  });
});

it('has a schema that declares every key of a row', async () => {
  const program = `
from pathlib import Path
from nemo_gym.task_data import load_task_data_schema, validate_jsonl_rows
folder = Path(given)
adapter = load_task_data_schema(folder)
report = validate_jsonl_rows("x", adapter, "train", (folder / "data/train.jsonl").open())
json.dump([report.rows, report.clean], sys.stdout)`;
  for (const [name, rows] of Object.entries({ plain: 3, provided: 2, everything: 6 })) {
    expect(await askGym(program, folderOf(name)), name).toEqual([rows, true]);
  }
});
