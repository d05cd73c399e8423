import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { playServers } from '../../src/operations/play.js';
import type { OptionValues } from '../../src/options/index.js';
import { Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';

const root = mkdtempSync(join(tmpdir(), 'gymgen-play-operation-'));
afterAll(() => rmSync(root, { recursive: true }));
mkdirSync(join(root, 'resources_servers/shop'), { recursive: true });
writeFileSync(join(root, 'resources_servers/shop/gymgen.lock.json'), '{"format":1,"files":{}}');

const failing = (options: OptionValues, ...names: string[]) =>
  failureOf(playServers(root, names, options, new Said(), new AbortController().signal));

test.each<[string, OptionValues, string]>([
  ['no model', {}, 'fix: pass --model-url URL, or --policy idle to play without a model'],
  ['a model without its server', { playModel: 'm' }, 'no model to play with'],
  ['a policy and a model', { policy: 'idle', playModel: 'm' }, '--policy plays without a model'],
  ['--demo for another environment', { policy: 'idle', demo: true }, '--demo serves gridsim'],
])('options that do not fit together are refused: %s', async (_, options, problem) => {
  expect(await failing(options)).toContain(problem);
});

test('the first line comes before anything is started, and says how long NeMo Gym takes to start', async () => {
  const said = new Said();
  const options = { policy: 'idle', gymPython: '/bin/false' };
  await failureOf(playServers(root, [], options, said, new AbortController().signal));
  expect(said.notes.at(-1)).toBe('starting NeMo Gym (the first time, a few minutes)');
  expect(said.progressed).toEqual([]);
});

test('an unknown name is refused', async () => {
  expect(await failing({ policy: 'idle' }, 'shopp')).toContain('did you mean shop?');
});
