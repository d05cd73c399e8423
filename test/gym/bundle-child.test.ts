import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folder } from '../../src/gym/files.js';
import type { ServerConfig } from '../../src/model.js';
import { writeFolder } from '../../src/output/index.js';
import { Findings } from '../../src/rules/index.js';
import { discovery, options, task } from './discovery.js';

const URL_SERVER = { url: 'http://127.0.0.1:8000' };
const BUNDLE_SERVER = { bundle: 'hello', framework: '0.9.1364' };

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gymgen-bundle-child-'));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Writes the folder, or only plans to, and returns the states of the files in bundle_child/ and of app.py. */
async function statesFor(server: ServerConfig, dryRun = false): Promise<Set<string>> {
  const files = folder(discovery([task(0)]), options({ server }), new Findings());
  const signal = new AbortController().signal;
  const { plan } = await writeFolder({ gymRoot: root, name: 'gridsim_v1' }, files, () => ({}), { dryRun, signal });
  const entries = plan.entries.filter(({ path }) => path === 'app.py' || path.startsWith('bundle_child/'));
  return new Set(entries.map(({ path, state }) => `${state} ${path.split('/')[0]}`));
}

it('a root that switches from url to bundle gains bundle_child, and loses it when it switches back', async () => {
  const child = join(root, 'resources_servers/gridsim_v1/bundle_child');
  expect(await statesFor(URL_SERVER)).toEqual(new Set(['create app.py']));
  expect(existsSync(child)).toBe(false);

  expect(await statesFor(BUNDLE_SERVER, true)).toEqual(new Set(['update app.py', 'create bundle_child']));
  expect(existsSync(child)).toBe(false);
  await statesFor(BUNDLE_SERVER);
  expect(existsSync(join(child, 'serve_bundle.py'))).toBe(true);
  expect(await statesFor(BUNDLE_SERVER, true)).toEqual(new Set(['same app.py', 'same bundle_child']));

  expect(await statesFor(URL_SERVER, true)).toEqual(new Set(['update app.py', 'stale bundle_child']));
  await statesFor(URL_SERVER);
  expect(existsSync(child)).toBe(false);
});
