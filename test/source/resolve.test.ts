import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type BundleOptions, looksLikeSource, resolveSource } from '../../src/source/index.js';
import { failureOf } from '../support/failure-of.js';

const work = mkdtempSync(join(tmpdir(), 'gymgen-resolve-'));
const cwd = process.cwd();
beforeAll(() => {
  for (const folder of ['project/tasks', 'bundle/tasks', 'evals-only/evals', 'demo/envs', 'other/src', 'hello/tasks']) {
    mkdirSync(join(work, folder), { recursive: true });
  }
  writeFileSync(join(work, 'project/openenv.yaml'), 'name: x\n');
  writeFileSync(join(work, 'file'), '');
  process.chdir(work);
});
afterAll(() => {
  process.chdir(cwd);
  rmSync(work, { recursive: true });
});

test.each([
  ['http://127.0.0.1:8000', 'url'],
  ['HTTPS://Host/', 'url'],
  ['ws://h/ws', 'url'],
  ['https://huggingface.co/spaces/o/e', 'space'],
  ['hf:o/e', 'space'],
  ['project', 'project'], // although it also has a folder of a bundle
  ['./bundle', 'bundle'],
  ['evals-only/', 'bundle'],
  ['demo', 'bundle'], // a folder, not the command
  ['hello', 'bundle'], // a folder, not an installed bundle
  ['echo-mcp', 'bundle'],
  ['agentenv-framework/hello', 'bundle'],
  ['owner/_hello', 'bundle'],
])('%s is a %s', async (text, kind) => {
  expect((await resolveSource(text)).kind).toBe(kind);
});

test.each([
  ['other', /other is neither an OpenEnv project nor an AgentEnv bundle[\s\S]*openenv.yaml[\s\S]*envs\/, agents\//],
  ['file', /unsupported source: file is a file/],
  ['./missing', /source not found: .\/missing/],
  ['a/.b', /source not found: a\/.b/],
  ['a/b/c', /source not found: a\/b\/c/],
  ['localhost:8000', /not a URL: localhost:8000[\s\S]*http:\/\/localhost:8000/],
  ['hf:owner', /not a Space: hf:owner[\s\S]*hf:OWNER\/NAME/],
  ['', /source not found/],
])('%j is refused', async (text, message) => {
  expect(await failureOf(resolveSource(text))).toMatch(message);
});

describe('options of bundles', () => {
  test.each<[BundleOptions, string]>([
    [{ sandbox: 'docker' }, '--sandbox'],
    [{ maxConcurrentEnvs: 2 }, '--max-concurrent-envs'],
    [{ reward: 'score', python: 'python3' }, '--python'],
    [{ absolute: true }, '--absolute'],
  ])('%j are refused for another source', async (options, flag) => {
    expect(await failureOf(resolveSource('http://h', options))).toMatch(
      `${flag} works only with an AgentEnv bundle\nat: http://h\nfix: remove ${flag}`,
    );
    expect(await failureOf(resolveSource('project', options))).toMatch(flag);
    expect((await resolveSource('bundle', options)).kind).toBe('bundle');
  });

  test('are refused except the reward, which works with any source', async () => {
    expect((await resolveSource('http://h', { reward: 'score' })).kind).toBe('url');
  });
});

test.each([
  ['http://h', true],
  ['hf:o/e', true],
  ['localhost:8000', true],
  ['bundle', true],
  ['project', true],
  ['other', false],
  ['gym-root', false],
])('%s looks like a source: %s', async (text, expected) => {
  expect(await looksLikeSource(text)).toBe(expected);
});

test('the host of a Space has its owner and name', async () => {
  const note = vi.fn();
  const reporter = { note, warn: note, progress: note };
  const open = async (text: string) =>
    (await (await resolveSource(text)).open({ reporter, signal: new AbortController().signal })).url;
  expect(await open('hf:OpenEnv/My_Env.v2')).toBe('https://openenv-my-env-v2.hf.space');
  expect(await open('https://huggingface.co/spaces/a/b/tree/main?x=1')).toBe('https://a-b.hf.space');
  expect(await open('https://hf.co/spaces/a/b')).toBe('https://a-b.hf.space');
  expect(await open('https://a-b.hf.space')).toBe('https://a-b.hf.space');
});
