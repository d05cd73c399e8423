// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are ordinary texts, which OmegaConf interpolates

import { expect, test } from 'vitest';
import { hasKey, mergeConfigs, numberAt, ownNumberAt, valueAt } from '../../src/trainers/nemo-rl/config-values.js';

test('maps are merged, and other values replaced', () => {
  const base = { grpo: { steps: 1, seed: 2, list: [1, 2] }, data: { train: { dataset_name: 'math' } } };
  expect(mergeConfigs(base, { grpo: { steps: 3, list: [4] }, data: { train: { data_path: 'x' } } })).toEqual({
    grpo: { steps: 3, seed: 2, list: [4] },
    data: { train: { dataset_name: 'math', data_path: 'x' } },
  });
});

test('_override_ replaces a map at the top level only', () => {
  const base = { data: { train: { dataset_name: 'math' }, shuffle: true } };
  expect(mergeConfigs(base, { data: { _override_: true, train: { data_path: 'x' } } })).toEqual({
    data: { train: { data_path: 'x' } },
  });
  expect(mergeConfigs(base, { data: { train: { _override_: true } } })).toMatchObject({
    data: { train: { dataset_name: 'math', _override_: true }, shuffle: true },
  });
});

test('references and products are resolved', () => {
  const config = {
    grpo: { prompts: 4, generations: 8 },
    policy: {
      length: 512,
      new: '${policy.length}',
      top: 0.9,
      val_top: '${.top}',
      batch: '${mul:${grpo.prompts}, ${grpo.generations}}',
      inner: { outer: '${..length}' },
      loop: '${policy.loop}',
      text: 'a ${policy.length}',
      missing: '???',
      home: '${oc.env:HOME}',
    },
  };
  const at = (key: string) => valueAt(config, `policy.${key}`);
  expect(['new', 'val_top', 'batch', 'inner.outer'].map(at)).toEqual([512, 0.9, 32, 512]);
  expect(['loop', 'text', 'missing', 'home', 'none'].map(at)).toEqual(Array(5).fill(undefined));
  expect(numberAt(config, 'policy.new')).toBe(512);
  expect(ownNumberAt(config, 'policy.new')).toBeUndefined();
  expect(ownNumberAt(config, 'policy.length')).toBe(512);
});

test('a key may have the value null, but not ???', () => {
  const config = { a: { b: null, c: '???' } };
  expect(['a.b', 'a.c', 'a.d', 'a.b.c'].map((path) => hasKey(config, path))).toEqual([true, false, false, false]);
});
