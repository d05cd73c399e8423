import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openProject } from '../../src/source/project.js';
import { failureOf } from '../support/failure-of.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gymgen-project-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () =>
  openProject(folder, {
    reporter: { warn: () => {}, progress: () => {} },
    signal: new AbortController().signal,
  });

test.each([
  ['app: 3', /openenv.yaml can't be read: app/],
  ['app: "os:system(1)"', /openenv.yaml can't be read: app wants MODULE:ATTRIBUTE/],
  ['port: 99999', /openenv.yaml can't be read: port/],
  ['- a list', /openenv.yaml can't be read/],
  ['a: [', /openenv.yaml can't be read/],
  ['name: x', /doesn't say what it needs: it has no pyproject.toml[\s\S]*serve it yourself/],
])('%s is refused', async (yaml, told) => {
  writeFileSync(join(folder, 'openenv.yaml'), yaml);
  mkdirSync(join(folder, 'server'));
  expect(await failureOf(open())).toMatch(told);
});
