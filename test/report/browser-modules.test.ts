// The parts of the page's script that need no browser.

import { describe, expect, test } from 'vitest';
// @ts-expect-error: plain JavaScript, for browsers
import { matcher } from '../../templates/report/filter.js';
// @ts-expect-error: likewise
import { parseJson } from '../../templates/report/json.js';

describe('a filter', () => {
  const rollouts = [
    {
      line: 1,
      file: 0,
      label: 'eval 1 · Day-One',
      reward: 0,
      calls: [],
      hasSignal: false,
      generated: 34,
      prompt: null,
    },
    {
      line: 2,
      file: 0,
      label: 'eval 2',
      reward: 0.3,
      calls: ['buy', 'sell it'],
      hasSignal: true,
      generated: 200,
      prompt: 1500,
    },
    {
      line: 3,
      file: 1,
      label: 'eval 3',
      reward: 0,
      mask: 'openenv:lost_session',
      calls: ['buy'],
      hasSignal: true,
      generated: null,
      prompt: null,
    },
    { line: 4, file: 1, label: 'eval 4', reward: null, calls: ['buy'], hasSignal: true, generated: 300, prompt: 1600 },
    { line: 5, file: 1, label: 'eval 5', reward: -1, calls: ['x'], hasSignal: true, generated: 1, prompt: 1 },
  ];

  test.each([
    ['', [1, 2, 3, 4, 5]],
    ['day-one', [1]],
    ['is:masked', [3]],
    ['is:zero', [1]],
    ['is:scored', [1, 2, 5]],
    ['is:no-call', [1]],
    ['is:no-signal', [1]],
    ['is:no-reward', [4]],
    ['tool:buy is:scored', [2]],
    ['tool:"sell it"', [2]],
    ['mask:LOST', [3]],
    ['reward:0', [1]],
    ['reward:0..0.3', [1]],
    ['reward:0..0.3]', [1, 2]],
    ['reward:-1..0', [5]],
    ['reward:<0.1', [1, 5]],
    ['reward:>=0.3', [2]],
    ['calls:2', [2]],
    ['generated:>100', [2, 4]],
    ['prompt:..1500]', [2, 5]],
    ['file:2', [3, 4, 5]],
    ['is:unknown', []],
    ['constructor:1', []],
    ['reward:many', []],
  ])('%j shows the lines %j', (text, lines) => {
    expect(rollouts.filter(matcher(text)).map(({ line }) => line)).toEqual(lines);
  });
});

describe('JSON for reading', () => {
  test('keeps the spelling of numbers, and duplicate keys', () => {
    expect(parseJson('{"a": 9223372036854775807, "a": [1.0, null], "b": "x\\n\\u0041"}')).toEqual({
      kind: 'object',
      entries: [
        ['a', { kind: 'number', text: '9223372036854775807' }],
        [
          'a',
          {
            kind: 'array',
            items: [
              { kind: 'number', text: '1.0' },
              { kind: 'word', text: 'null' },
            ],
          },
        ],
        ['b', { kind: 'string', text: 'x\nA' }],
      ],
    });
  });

  test.each(['7', '"text"', '{"a":', 'plain [text]', `${'['.repeat(50)}${']'.repeat(50)}`])(
    'is not made of %s',
    (text) => {
      expect(parseJson(text)).toBeUndefined();
    },
  );

  test('is made of empty and nested values', () => {
    expect(parseJson('[{}, [], [[{"a": {}}]]]')).toMatchObject({ kind: 'array', items: [{}, {}, {}] });
  });
});
