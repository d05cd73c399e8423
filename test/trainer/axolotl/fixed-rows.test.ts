import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixedRows, isFixedRows } from '../../../src/trainers/axolotl/fixed-rows.js';
import { axolotlNames } from '../../../src/trainers/axolotl/names.js';
import { failureOf } from '../../support/failure-of.js';
import { linesOf, row, tempFolder, user } from './support.js';

const path = join(tempFolder(), 'train.jsonl');
const signal = new AbortController().signal;

async function fixed(text: string) {
  writeFileSync(path, text);
  const lines = [];
  for await (const line of fixedRows({ split: 'train', path }, axolotlNames('shop'), signal)) lines.push(line);
  return lines;
}

const messageOf = (line: string) => JSON.parse(line).responses_create_params.input[0].content;

test('a row has its original text, the agent and a unique message', async () => {
  const original = '{"responses_create_params": {"input": "hi"}, "big": 9223372036854775807, "one": 1.0}';
  const [line = ''] = await fixed(`${original}\n`);
  expect(JSON.parse(line)).toEqual({
    responses_create_params: { input: [{ role: 'user', content: 'shop train 1' }] },
    agent_ref: { type: 'responses_api_agents', name: 'shop_axolotl_agent' },
    gymgen_row: original,
  });
});

test('messages differ also if the rows are equal, and blank lines are left out', async () => {
  const same = row(user('a'), { task_id: 'day-1' });
  const lines = await fixed(linesOf([same, '', same]));
  expect(lines.map(messageOf)).toEqual(['shop train 1: day-1', 'shop train 3: day-1']);
});

test('hidden and lone characters are escaped or replaced', async () => {
  const [line = ''] = await fixed(linesOf([row(user('\u202e'), { task_id: `\ud800\u202e::${'x'.repeat(500)}` })]));
  expect(line).not.toContain('\u202e');
  expect(messageOf(line)).toMatch(/^shop train 1: \ufffd\u202e::x{196}$/);
});

test('a line that is not a row is an error', async () => {
  const failure = await failureOf(fixed('{"responses_create_params": {}}\n[1]\n'));
  expect(failure).toContain(`line is not a row: not a row\nat: ${path}:2\n`);
});

test('its own files are recognized', async () => {
  const is = async (text: string, server = 'shop') => {
    writeFileSync(path, text);
    return isFixedRows(path, axolotlNames(server));
  };
  expect(await is((await fixed(linesOf([row('a')]))).join(''))).toBe(true);
  expect(await is((await fixed(linesOf([row('a')]))).join(''), 'bank')).toBe(false);
  expect(await is('')).toBe(true);
  expect(await is(linesOf([row('a')]))).toBe(false);
  expect(await is('not JSON\n')).toBe(false);
});
