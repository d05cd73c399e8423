// A written file, or a folder of it, that has become a symlink is reported as one. Nothing is read or written through it.

import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { currentConfig } from '../../src/written/index.js';
import { Root, statesIn } from '../check/support.js';
import { put, snapshot } from '../output/support/gym-root.js';
import { failureOf } from '../support/failure-of.js';
import { days } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

const SECRET = 'SECRET-OF-THE-USER';
const CONFIG = 'configs/grid_v1.yaml';
const TRAIN = 'data/train.jsonl';

async function written() {
  const server = await StandIn.start({ splits: { train: days(5) } });
  const root = new Root(server.url);
  await root.write();
  const parent = dirname(root.gymRoot);
  put(parent, { 'home/secret': `${SECRET}\n` });
  return { server, root, parent, secret: join(parent, 'home/secret') };
}

function link(to: string, at: string): void {
  rmSync(at, { recursive: true, force: true });
  symlinkSync(to, at);
}

const FILES = ['app.py', CONFIG, TRAIN, 'toolsets.json', 'openenv_bridge/__init__.py'];

describe.each(FILES)('%s as a symlink to a file outside', (file) => {
  test('check reports it as a symlink and shows nothing of its target', async () => {
    const { root, secret, parent } = await written();
    link(secret, join(root.folder, file));
    const before = snapshot(parent);
    const report = await root.check();
    expect(statesIn(report)).toContain(`edited ${file} (replaced by a symlink)`);
    expect(JSON.stringify(report)).not.toContain(SECRET);
    expect(report.differences.find(({ path }) => path === file)).toEqual({
      path: file,
      state: 'edited',
      note: 'replaced by a symlink',
    });
    expect(snapshot(parent)).toEqual(before);
  });

  test('check reports it also if its target has the generated text', async () => {
    const { root, parent } = await written();
    const target = join(parent, 'moved');
    renameSync(join(root.folder, file), target);
    symlinkSync(target, join(root.folder, file));
    expect(statesIn(await root.check())).toEqual([`edited ${file} (replaced by a symlink)`]);
  });

  test('stops a write, stays with update and --theirs, and is replaced with --force', async () => {
    const { root, secret, parent, server } = await written();
    link(secret, join(root.folder, file));
    const before = snapshot(parent);
    expect(await failureOf(root.write())).toContain(`${file} (replaced by a symlink)`);
    expect(snapshot(parent)).toEqual(before);

    server.splits = { train: days(6) };
    for (const edits of ['keep', 'theirs'] as const) {
      const report = await root.update({ edits, keepPrompts: true });
      expect(JSON.stringify(report)).not.toContain(SECRET);
      expect(report.edited).toContainEqual({ path: file, state: 'edited', note: 'replaced by a symlink' });
      expect(lstatSync(join(root.folder, file)).isSymbolicLink()).toBe(true);
    }
    await root.write({ edits: 'ours', dropPrompts: true });
    expect(lstatSync(join(root.folder, file)).isFile()).toBe(true);
    expect(snapshot(join(parent, 'home'))).toEqual({ secret: `${SECRET}\n` });
    expect((await root.check()).changed).toBe(false);
  });

  test('a symlink to a FIFO is never opened', async () => {
    const { root, parent } = await written();
    execFileSync('mkfifo', [join(parent, 'fifo')]);
    link(join(parent, 'fifo'), join(root.folder, file));
    expect(statesIn(await root.check())).toEqual([`edited ${file} (replaced by a symlink)`]);
    expect(await failureOf(root.write())).toContain('(replaced by a symlink)');
  });

  test('a FIFO in its place is never waited for', async () => {
    const { root } = await written();
    rmSync(join(root.folder, file));
    execFileSync('mkfifo', [join(root.folder, file)]);
    expect(await failureOf(root.check())).toContain(file);
    expect(await failureOf(root.write())).toContain(file);
    expect(await failureOf(root.update({ keepPrompts: true }))).toContain(file);
  });
});

const FOLDERS = ['..', '', 'configs', 'data', 'openenv_bridge'];

describe.each([
  ['outside', (parent: string) => join(parent, 'home/moved')],
  ['inside', (parent: string) => join(parent, 'root/moved')],
])('a folder that is a symlink to one %s the Gym root', (_, targetIn) => {
  test.each(FOLDERS)('resources_servers/grid_v1/%s: every command rejects it and changes nothing', async (folder) => {
    const { root, parent, server } = await written();
    const target = targetIn(parent);
    renameSync(join(root.folder, folder), target);
    symlinkSync(target, join(root.folder, folder));
    server.splits = { train: days(6) };
    const before = snapshot(parent);
    const place = join(root.folder, folder);
    for (const run of [
      () => root.write(),
      () => root.write({ edits: 'ours', dropPrompts: true }),
      () => root.write({ dryRun: true }),
      () => root.update({ keepPrompts: true }),
      () => root.check(),
    ]) {
      const failure = await failureOf(run());
      expect(failure).toContain('a folder of the Gym root is a symlink');
      expect(failure).toContain(`at: ${place.replace(/\/$/, '')} -> ${target}`);
      expect(snapshot(parent)).toEqual(before);
    }
  });
});

test('a symlink that is no longer generated stays; --force removes only the link', async () => {
  const { root, secret, server } = await written();
  server.splits = { train: days(5), eval: days(2) };
  await root.write();
  server.splits = { train: days(5) };
  link(secret, join(root.folder, 'data/eval.jsonl'));
  expect(await failureOf(root.write())).toContain('data/eval.jsonl (replaced by a symlink, and no longer generated)');
  await root.write({ edits: 'ours', dropPrompts: true });
  expect(existsSync(join(root.folder, 'data/eval.jsonl'))).toBe(false);
  expect(existsSync(secret)).toBe(true);
});

test('settings are not read through a symlink, and a FIFO as pyproject.toml is not waited for', async () => {
  const { root, parent } = await written();
  root.edit(CONFIG, (text) => text.replace(/^( *)domain: .*$/m, '$&\n$1tool_timeout: 45'));
  expect((await currentConfig(root.gymRoot, 'grid_v1')).settings).toEqual({ tool_timeout: 45 });
  put(parent, { 'other.yaml': root.read(CONFIG) });
  link(join(parent, 'other.yaml'), join(root.folder, CONFIG));
  expect((await currentConfig(root.gymRoot, 'grid_v1')).settings).toEqual({});
  execFileSync('mkfifo', [join(root.gymRoot, 'pyproject.toml')]);
  expect((await root.check()).changed).toBe(true);
});
