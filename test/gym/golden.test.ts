// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are ordinary texts
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Discovery, GymOptions } from '../../src/model.js';
import { discovery, options, task, tool, toolset } from './discovery.js';
import { generate } from './files.js';
import { HOSTILE } from './hostile.js';

const GOLDEN = fileURLToPath(new URL('../../fixtures/golden/', import.meta.url));

const days = [0, 1, 2].map((index) => task(index));

const hostile = HOSTILE.join(' ');
const turns = [[tool('a.b', '{"default":1.0}', hostile), tool('end_turn')], [tool('end_turn')]];
const texts = [0, 1, 2, 3, 4, 5].map((index) =>
  task(index, { prompt: hostile, systemPrompt: null, id: `@local/${hostile}/x`, toolset: toolset(turns, hostile) }),
);

const STEP = tool('step', '{"type":"object","properties":{"move":{"enum":["UP","DOWN"]}},"required":["move"]}');
const boards = [0, 1].map((index) =>
  task(index, {
    id: `train-${index}`,
    reset: `{"seed":${index},\n "size": 1.0}`,
    systemPrompt: null,
    toolset: { key: 'environment', tasks: [], turns: [[STEP]] },
  }),
);

const CASES: Record<string, { discovery: Discovery; options: GymOptions }> = {
  plain: {
    discovery: discovery([...days, task(0, { split: 'eval' })]),
    options: options({ datasets: { train: 'train', validation: 'eval', license: 'TBD', examples: false } }),
  },
  provided: {
    discovery: discovery(boards, {
      provided: true,
      action: { fixed: { mode: '"${hard}"', levels: '[1, {"a": null}]' } },
      rewardRule: 'sum',
    }),
    options: options({ settings: { max_steps: 20 } }),
  },
  bundle: {
    discovery: discovery(days),
    options: options({
      server: { bundle: '../../../bundles/gridsim', framework: '0.9.1364', sandbox: 'docker' },
      settings: { max_concurrent_envs: 4 },
    }),
  },
  everything: {
    discovery: discovery([...texts, task(0, { split: 'eval set' })], { envName: hostile }),
    options: options({
      name: 'my_env_v2',
      server: { url: 'https://host/base/${oc.env:HOME}' },
      headers: { Authorization: 'Bearer ${HF_TOKEN}' },
      renameTools: { 'a.b': 'a_b' },
      settings: { tool_timeout: 30, reset_timeout: 0.5, idle_timeout: 600, reward: '12:30', max_steps: 4 },
      appendSystemPrompt: 'End each turn with end_turn.',
      datasets: { train: 'train', validation: 'eval set', license: 'Apache 2.0', examples: true },
    }),
  },
};

it.each(Object.keys(CASES))('writes the golden folder %s', async (name) => {
  const { discovery, options } = CASES[name] as (typeof CASES)[string];
  const { files, findings } = await generate(discovery, options);
  expect(findings.list).toEqual([]);
  const own = new Map([...files].filter(([path]) => !/^(?:openenv_bridge|bundle_child)\//.test(path)));
  const folder = join(GOLDEN, name);
  if (process.env.GYMGEN_UPDATE_GOLDEN === '1') await replace(folder, own);
  expect((await golden(folder)).sort()).toEqual([...own.keys()].sort());
  for (const [path, text] of own) expect(text, path).toBe(await readFile(join(folder, path), 'utf8'));
});

async function golden(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name).slice(folder.length + 1));
}

async function replace(folder: string, files: Map<string, string>): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
