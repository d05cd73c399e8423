// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are ordinary texts, which OmegaConf interpolates

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrainerVerlDocument } from '../../src/documents/schemas/trainer.js';
import { hydraList, hydraValue } from '../../src/trainers/verl/hydra.js';
import { askGym } from '../gym/gym-python.js';
import { type Place, place } from './support.js';

const FILE = 'verl_grid_v1.yaml';
const TRAIN = 'root/resources_servers/grid_v1/data/train.jsonl';

/** A place with what is needed of a checkout of verl. */
async function verlPlace(names?: readonly string[]): Promise<Place & { verl: Place['trainer'] }> {
  const at = await place(names);
  at.put('verl/recipe/nemo_gym/dataset.py', '');
  at.put('verl/recipe/nemo_gym/agent_loop.py', '');
  return { ...at, verl: (...args) => at.run('trainer', 'verl', 'root', '--verl', 'verl', ...args) };
}

test('writes the file of the recipe, and prints the overrides', async () => {
  const at = await verlPlace();
  const { stdout, stderr, exitCode } = await at.verl();
  expect({ stdout, exitCode }).toEqual({ stdout: `wrote ${FILE}\n`, exitCode: 0 });
  expect(stderr).toContain('verl does not read masks');
  expect(stderr).toContain(`  export NEMO_GYM_EXTRA_ROOTS=${at.cwd}/root\n`);
  expect(stderr).toContain('+data.custom_cls.path=recipe/nemo_gym/dataset.py');
  expect(readFileSync(join(at.cwd, FILE), 'utf8')).toContain('    - resources_servers/grid_v1/configs/grid_v1.yaml\n');
  expect((await at.verl()).stdout).toBe(`${FILE} is up to date\n`);
});

test('several servers without validation', async () => {
  const at = await verlPlace(['grid_v1', 'shop']);
  const { stdout } = await at.verl('grid_v1', 'shop', '--no-validation', '--json', '--dry-run');
  const { overrides, config } = TrainerVerlDocument.parse(JSON.parse(stdout));
  const files = ['grid_v1', 'shop'].map((name) => `${at.cwd}/root/resources_servers/${name}/data/train.jsonl`);
  expect(overrides[0]).toBe(`'data.train_files=[${files.join(',')}]'`);
  expect(overrides).toEqual(expect.arrayContaining(["'trainer.test_freq=-1'", "'trainer.val_before_train=False'"]));
  expect(config?.match(/configs\/\w+\.yaml$/gm)).toHaveLength(3);
  expect(existsSync(join(at.cwd, 'verl_grid_v1_shop.yaml'))).toBe(false);
});

test.each([
  ['another folder', ['--verl', 'root'], undefined, 'not a checkout of verl with its recipes'],
  ['too few rows', ['--prompts-per-step', '6'], undefined, '5 rows are fewer than 6 prompts per step'],
  [
    'rows whose input is a text',
    [],
    (text: string) => text.replace(/"input":\[.*?\]/, '"input":"Trade."'),
    'line 1: input is not a list of messages',
  ],
] as const)('refuses %s', async (_, args, edit, says) => {
  const at = await verlPlace();
  if (edit) at.put(TRAIN, edit(readFileSync(join(at.cwd, TRAIN), 'utf8')));
  const { exitCode, stderr } = await at.verl(...args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(says);
  expect(existsSync(join(at.cwd, FILE))).toBe(false);
});

test('Hydra reads each value as it is', async () => {
  const texts = [
    'Qwen/Qwen3-4B',
    '/a b/c',
    "it's",
    'a\\',
    "a\\'b",
    'a,b',
    '[x]',
    '${oc.env:HOME}',
    '\\${x}',
    '1e3',
    'null',
    'hermes',
    '1/2',
    'a=b',
    'é',
  ];
  const read = `
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf
def value(text):
    return OmegaConf.to_container(OmegaConf.create({"x": OverridesParser.create().parse_override(text).value()}), resolve=True)["x"]
json.dump([value(text) for text in given], sys.stdout)
`;
  const given = [...texts.map((text) => `x=${hydraValue(text)}`), `x=${hydraList(texts)}`];
  expect(await askGym(read, given)).toEqual([...texts, texts]);
});
