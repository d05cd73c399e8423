// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are meant
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { discovery, options, task, tool, toolset } from './discovery.js';
import { writeFolder } from './files.js';
import { gymPython } from './gym-python.js';
import { HOSTILE } from './hostile.js';

const PYRIGHT = fileURLToPath(new URL('../../node_modules/.bin/pyright', import.meta.url));

let root: string;
let folder: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gymgen-server-'));
  const text = HOSTILE.join(' ');
  const turns = [[tool('a.b', `{"description":${JSON.stringify(text)}}`, text), tool('end_turn')], [tool('end_turn')]];
  const tasks = [0, 1, 2, 3, 4].map((index) => task(index, { prompt: text, toolset: toolset(turns) }));
  folder = await writeFolder(
    root,
    discovery(tasks, { envName: text }),
    options({
      headers: { Authorization: 'Bearer ${HF_TOKEN}' },
      renameTools: { 'a.b': 'a_b' },
      datasets: { train: 'train', license: 'MIT' },
    }),
  );
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

/** What it printed, on either stream. */
async function python(...args: string[]): Promise<string> {
  const env = { PYTHONPATH: folder, HF_TOKEN: '' };
  const { all } = await execa(gymPython(), args, { cwd: folder, env, all: true, reject: false });
  return all;
}

it('passes its own test, as `gym env test` runs it', async () => {
  expect(await python('-m', 'pytest', '-q', '-p', 'no:cacheprovider')).toMatch(/^3 passed/m);
}, 180_000);

it('is clean for ruff, whatever the server said', async () => {
  const own = ['app.py', 'task_data.py', 'tests'];
  expect(await python('-m', 'ruff', 'check', '--no-cache', ...own)).toMatch(/All checks passed/);
  expect(await python('-m', 'ruff', 'format', '--no-cache', '--check', ...own)).toMatch(/already formatted/);
});

it('is clean for pyright', async () => {
  const own = ['app.py', 'task_data.py', 'tests'];
  const checked = await execa(PYRIGHT, ['--pythonpath', gymPython(), ...own], {
    cwd: folder,
    all: true,
    reject: false,
  });
  expect(checked.all).toMatch(/^0 errors, 0 warnings/m);
}, 180_000);

it('has a schema that declares every key of a row, with the standard library and pydantic alone', async () => {
  const code = `
from pathlib import Path
from nemo_gym.task_data import load_task_data_schema, validate_jsonl_rows
adapter = load_task_data_schema(Path("."))
report = validate_jsonl_rows("x", adapter, "train", Path("data/train.jsonl").open())
print(report.rows, report.clean)`;
  expect(await python('-c', code)).toMatch(/^5 True$/m);
}, 120_000);
