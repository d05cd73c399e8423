import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/limits.js';
import { checkFile } from '../../../src/trainers/axolotl/file-check.js';
import { failureOf } from '../../support/failure-of.js';
import { linesOf, type Row, row, tempFolder, tool, user } from './support.js';

const path = join(tempFolder(), 'train.jsonl');
const signal = new AbortController().signal;

function check(...rows: (Row | string)[]) {
  writeFileSync(path, linesOf(rows));
  return checkFile({ split: 'train', path }, { agent: 'shop_simple_agent', signal });
}

/** Code, lines and whether the training stops. */
async function found(...rows: (Row | string)[]) {
  const { findings } = await check(...rows);
  return findings.map(({ code, rows: { first }, isFatal }) => [code, first, ...(isFatal ? ['stops'] : [])]);
}

const x = { x: { type: 'string' } };
const y = { y: { type: 'string' } };

test.each<[what: string, rows: (Row | string)[], found: unknown[]]>([
  ['different messages', [row(user('a')), row(user('b'))], []],
  [
    'equal first user messages',
    [row(user('a')), row(user('b')), row(user('a')), row(user('a'))],
    [['axolotl-equal-messages', [3, 4]]],
  ],
  ['one text', [row('a')], []],
  ['texts', [row('a'), row('b'), row('c')], [['axolotl-text-input', [2, 3]]]],
  ['a text beside messages', [row(user('a')), row('b')], [['axolotl-mixed-types', [2], 'stops']]],
  ['a list of parts', [row(user([{ type: 'input_text', text: 'a' }]))], [['axolotl-list-content', [1], 'stops']]],
  ['the same tools', [row(user('a'), {}, [tool('t', x)]), row(user('b'), {}, [tool('t', x)])], []],
  ['two tools in a row', [row(user('a'), {}, [tool('t', x), tool('u', y)])], [['axolotl-tools', [1]]]],
  [
    'tools of two toolsets',
    [row(user('a'), {}, [tool('t', x)]), row(user('b')), row(user('c'), {}, [tool('u', y)])],
    [['axolotl-tools', [1, 3]]],
  ],
  [
    'types of a default',
    [row(user('a'), {}, [tool('t', { x: { default: 1 } })]), row(user('b'), {}, [tool('t', { x: { default: 'a' } })])],
    [['axolotl-mixed-types', [2], 'stops']],
  ],
  [
    'keys of resets, which the server restores',
    [row(user('a'), { reset: { seed: 1 } }), row(user('b'), { reset: { level: 1 } })],
    [],
  ],
  [
    'types of a reset',
    [row(user('a'), { reset: { seed: 1 } }), row(user('b'), { reset: { seed: 'x' } })],
    [['axolotl-mixed-types', [2], 'stops']],
  ],
  [
    'a parameter of one row',
    [
      row(user('a')),
      { ...row(user('b')), responses_create_params: { input: user('b'), tools: [], max_output_tokens: 9 } },
    ],
    [['axolotl-null', [1]]],
  ],
  ['blank lines', [row(user('a')), '', '  ', row(user('b'))], [['axolotl-line', [2, 3], 'stops']]],
  ['a line that is not JSON', [row(user('a')), '{"responses_create_params":'], [['axolotl-line', [2], 'stops']]],
  ['another agent', [row(user('a')), row(user('b'), { agent_ref: { name: 'other' } })], [['axolotl-agent', [2]]]],
  [
    'a row without an agent',
    [row(user('a')), { responses_create_params: { input: user('b'), tools: [] } }],
    [['axolotl-no-agent', [2], 'stops']],
  ],
])('%s', async (_, rows, findings) => {
  expect(await found(...rows)).toEqual(findings);
});

test('a finding names the places and counts all rows', async () => {
  const rows = Array.from({ length: 30 }, (_, at) => row(user(`${at}`), { reset: { seed: at % 2 ? 'x' : 1 } }));
  const { findings, facts } = await check(...rows);
  expect(findings).toEqual([
    {
      code: 'axolotl-mixed-types',
      isFatal: true,
      problem: "the loader stops at values of another type than in earlier rows: 'reset.seed' (string beside number)",
      rows: { count: 15, first: [2, 4, 6, 8, 10, 12, 14, 16, 18, 20] },
    },
  ]);
  expect(facts.rows).toBe(30);
});

test('the number of different keys has a limit', async () => {
  const long = 'k'.repeat(LIMITS.rowKeyBytes / 4);
  const rows = Array.from({ length: 5 }, (_, at) => row(user(`${at}`), { reset: { [`${at}${long}`]: 1 } }));
  expect(await failureOf(check(...rows))).toContain('(rowKeyBytes)');
});
