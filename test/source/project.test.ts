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
  ['app: 3', /invalid openenv.yaml: app/],
  ['app: "os:system(1)"', /invalid openenv.yaml: app must be MODULE:ATTRIBUTE/],
  ['port: 99999', /invalid openenv.yaml: port/],
  ['- a list', /invalid openenv.yaml/],
  ['a: [', /invalid openenv.yaml/],
  ['name: x', /declares no dependencies\n.*pyproject.toml[\s\S]*serve the project yourself/],
])('a project with the openenv.yaml %j is refused', async (yaml, message) => {
  writeFileSync(join(folder, 'openenv.yaml'), yaml);
  mkdirSync(join(folder, 'server'));
  expect(await failureOf(open())).toMatch(message);
});
