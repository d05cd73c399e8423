import v8 from 'node:v8';
import vm from 'node:vm';
import { expect, test } from 'vitest';
import { SharedToolsets } from '../../../src/discover/probe/shared-toolsets.js';
import { JsonString } from '../../../src/json/json-string.js';

test('a probed task keeps nothing of its page in memory', () => {
  v8.setFlagsFromString('--expose-gc');
  const shared = new SharedToolsets(['train']);
  const pages = Array.from({ length: 3 }, (_, index) => {
    const page = Buffer.alloc(2 ** 20);
    const task = {
      split: 'train',
      index,
      id: `day-${index}`,
      key: 'agent:solver',
      declared: false,
      systemPrompt: null,
    };
    shared.add([{ task: { ...task, prompt: new JsonString(page, 0, 300) }, turns: [[]] }]);
    return new WeakRef(page);
  });
  return new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
    vm.runInNewContext('gc')();
    expect(pages.map((page) => page.deref())).toEqual([undefined, undefined, undefined]);
    expect(shared.list[0]?.tasks.map(({ id }) => id)).toEqual(['day-0', 'day-1', 'day-2']);
  });
});
