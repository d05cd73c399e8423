// Commands that keep a Gym root up to date, with a real server: check, record and update.

import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { execa } from 'execa';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { copyFolder, folderOf, gymgen, mustGymgen, plainEnv, snapshot, tempFolder } from './support/gymgen.js';
import { endings } from './support/processes.js';
import { type Gridsim, gridsim } from './support/servers.js';
import { gymgenBin, REPOSITORY } from './support/toolchain.js';

const NAME = 'gridsim_v1';
const temp = tempFolder();
const written = join(temp, 'written');
const root = join(temp, 'root');
const folder = folderOf(root, NAME);
const recording = join(temp, 'gridsim.jsonl.gz');
const ending = endings();
let server: Gridsim;

beforeAll(async () => {
  server = ending(await gridsim());
  await mustGymgen(server.url, written);
  await mustGymgen('record', server.url, recording);
});

beforeEach(() => copyFolder(written, root));

/** The output of a check, which must find differences and change nothing. */
async function told(...args: string[]): Promise<string> {
  return untouched(() => gymgen('check', ...args));
}

async function untouched(check: () => PromiseLike<{ exitCode?: number; stdout: string }>): Promise<string> {
  const before = snapshot(root);
  const { exitCode, stdout } = await check();
  expect(snapshot(root)).toEqual(before);
  expect(exitCode).toBe(1);
  return stdout;
}

/** The states of the files that differ, except the lock file. */
async function states(...args: string[]): Promise<string[]> {
  return statesIn(await told(...args));
}

function statesIn(stdout: string): string[] {
  return stdout.match(/^(create|update|stale|edited) .*(?<!gymgen\.lock\.json)$/gm) ?? [];
}

/** The recording of a server with other content. */
function changed(change: (line: Record<string, unknown>) => unknown): string {
  const file = join(temp, 'changed.jsonl');
  const lines = gunzipSync(readFileSync(recording)).toString().trimEnd().split('\n');
  const { sha256: _, ...end } = JSON.parse(lines.pop() as string); // of the recording as it was
  lines.push(JSON.stringify(end));
  const said = lines.flatMap((line) => change(JSON.parse(line)) ?? []).map((line) => JSON.stringify(line));
  writeFileSync(file, `${said.join('\n')}\n`);
  return file;
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')));
}

describe('a check without differences', () => {
  test('exits with 0 and changes nothing, with the server, its recording or the lock file as the source', async () => {
    const before = snapshot(root);
    for (const args of [[server.url, root], [recording, root], [root]]) {
      expect(await gymgen('check', ...args)).toMatchObject({ exitCode: 0, stdout: `same ${folder}\n` });
    }
    expect(snapshot(root)).toEqual(before);
    expect(await server.leftOpen()).toBe(0);
  });

  test('a write from the recording gives the same bytes', async () => {
    const other = join(temp, 'other');
    await mustGymgen(recording, other);
    expect(snapshot(other).texts).toEqual(snapshot(root).texts);
    expect(await mustGymgen(recording, root)).toBe(`unchanged ${folder}\n`);
  });
});

describe('a check names exactly what changed', () => {
  test('other days of the server: another prompt for each task', async () => {
    const other = ending(await gridsim('--seed', '2'));
    const rows = ['all', 'eval', 'train'].map((split) => `update  data/${split}.jsonl`);
    expect(await states(other.url, root, '--config-url', server.url)).toEqual(rows);
  });

  test("a task's prompt", async () => {
    const source = changed((line) => (line.index === 3 ? { ...line, prompt: 'Another day.' } : line));
    const rows = ['all', 'eval', 'train'].map((split) => `update  data/${split}.jsonl`);
    expect(await states(source, root)).toEqual(rows);
    expect(await told(source, root)).toMatch(/train\[3\] 'day-00003' \(line 4\): prompt/);
  });

  test('a removed task', async () => {
    const source = changed((line) => {
      if (line.type === 'gymgen-recording') {
        const splits = line.splits as { name: string; count: number }[];
        return { ...line, splits: splits.map((split) => ({ ...split, count: split.count - 1 })) };
      }
      if (line.type === 'end') return { ...line, tasks: Number(line.tasks) - 3 };
      if (line.type !== 'task' || Number(line.index) < 100) return line;
      return line.index === 100 ? null : { ...line, index: Number(line.index) - 1 };
    });
    const stdout = await told(source, root);
    expect(stdout).toContain("- train[100] 'day-00100' removed (line 101)");
    expect(stdout).toContain('~ 1,899 rows: only the index differs');
    expect(stdout).not.toContain(' added ');
  });

  test("a tool's schema", async () => {
    const source = changed((line) => JSON.parse(JSON.stringify(line).replaceAll('24 integers', '24 whole numbers')));
    const stdout = await told(source, root);
    expect(statesIn(stdout)).toEqual([
      ...['all', 'eval', 'train'].map((split) => `update  data/${split}.jsonl`),
      'update  toolsets.json',
    ]);
    expect(stdout).toMatch(/in total: tool 'submit_schedule': [^(]*\(2,000 rows\)/);
  });

  test('a template of gymgen', async () => {
    const other = join(temp, 'gymgen');
    for (const part of ['bin', 'dist', 'templates', 'package.json']) {
      cpSync(join(REPOSITORY, part), join(other, part), { recursive: true });
    }
    symlinkSync(join(REPOSITORY, 'node_modules'), join(other, 'node_modules'));
    const template = join(other, 'templates/server/openenv_bridge/mask.py');
    writeFileSync(template, `${readFileSync(template, 'utf8')}# newer\n`);
    const bin = gymgenBin().replace(REPOSITORY, `${other}/`);
    const args = [bin, 'check', recording, root];
    const options = { reject: false, extendEnv: false, env: plainEnv() } as const;
    const stdout = await untouched(() => execa(process.execPath, args, options));
    expect(statesIn(stdout)).toEqual(['update  openenv_bridge/mask.py']);
    expect(stdout).toMatch(
      /^update {2}gymgen\.lock\.json\n {8}~ files: openenv_bridge\/mask\.py\nupdate {2}openenv_bridge\/mask\.py\n {8}@@[\s\S]*\+# newer$/m,
    );
  });

  test('an edited row, a deleted file, a stale split, and a config with CRLF and one change', async () => {
    edit('data/eval.jsonl', (text) => text.replace('"index":7', '"index":70'));
    expect(await states(recording, root)).toEqual(['edited  data/eval.jsonl']);
    copyFolder(written, root);
    rmSync(join(folder, 'app.py'));
    expect(await states(recording, root)).toEqual(['create  app.py']);
    copyFolder(written, root);
    expect(await states(recording, root, '--split', 'train')).toEqual([
      'update  README.md',
      `update  configs/${NAME}.yaml`,
      'stale   data/all.jsonl',
      'stale   data/eval.jsonl',
      'update  toolsets.json',
    ]);
    copyFolder(written, root);
    edit(`configs/${NAME}.yaml`, (text) => text.replace('domain: agent', 'domain: math').replaceAll('\n', '\r\n'));
    expect(await states(recording, root)).toEqual([`edited  configs/${NAME}.yaml`]);
  });
});

test('update keeps an edited prompt, and writes the current prompts of the server for the others', async () => {
  edit('data/train.jsonl', (text) => text.replace('"user","content":"', '"user","content":"Mine: '));
  const source = changed((line) => (line.index === 3 ? { ...line, prompt: 'Another day.' } : line));
  await mustGymgen('update', root, '--source', source, '--keep-prompts');
  const rows = readFileSync(join(folder, 'data/train.jsonl'), 'utf8').split('\n');
  expect(rows[0]).toContain('Mine: ');
  expect(rows[3]).toContain('"content":"Another day."');
  expect(await gymgen('check', source, root)).toMatchObject({ exitCode: 0 });
});
