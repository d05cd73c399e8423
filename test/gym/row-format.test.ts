import { describe, expect, it } from 'vitest';
import { inputJson, isSameRow, rowTaskId, taskIdOf, withInput } from '../../src/gym/index.js';
import { PromptFingerprints, promptFingerprint } from '../../src/gym/prompt-fingerprints.js';
import { RowEncoder } from '../../src/gym/row-format.js';
import { ByteBuilder } from '../../src/json/byte-builder.js';
import { parseJson } from '../../src/json/json-string.js';
import type { Task } from '../../src/model.js';
import { options, task } from './discovery.js';

const TOOLS = '[{"type":"function","name":"a"}]';

function encode(...tasks: Task[]): string[] {
  const bytes = new ByteBuilder(Buffer.alloc(16));
  const encoder = new RowEncoder(options());
  for (const one of tasks) encoder.append(bytes, one, TOOLS);
  return bytes.take().toString().split('\n').slice(0, -1);
}

const row = (changes: Partial<Task> = {}) => encode(task(3, changes))[0] as string;

describe('the task id of a row', () => {
  it.each([
    ['@local/srv/agentenv/tools-v1/calc-sum', '@local/tools-v1/calc-sum'],
    ['@local/agentenv-framework/hello/hello', '@local/hello/hello'],
    ['@local/tools-v1/calc-sum', '@local/tools-v1/calc-sum'],
    ['@local/calc-sum', '@local/calc-sum'],
    ['@acme/srv/tools-v1/calc-sum', '@acme/srv/tools-v1/calc-sum'],
    ['@localhost/a/b/c', '@localhost/a/b/c'],
    ['17', '17'],
    ['a/b/c/d', 'a/b/c/d'],
  ])('for %s is %s', (id, short) => {
    expect(rowTaskId(id, false)).toBe(short);
    expect(rowTaskId(id, true)).toBe(id);
  });
});

describe('a row', () => {
  it('has a long prompt in its original spelling', () => {
    const prompt = 'x'.repeat(2000);
    const [undecoded] = parseJson(Buffer.from(JSON.stringify([prompt]))) as [string];
    expect(typeof undecoded).toBe('object');
    expect(row({ prompt: undecoded })).toBe(row({ prompt }));
  });

  it('does not repeat parts of the row before it', () => {
    const tasks = [
      task(0),
      task(1, { systemPrompt: null }),
      task(2, { split: 'eval' }),
      task(3, { reset: '{"a":\n1}' }),
      task(4),
    ];
    expect(encode(...tasks)).toEqual(tasks.map((one) => encode(one)[0]));
  });

  it('has a reset on one line instead of split and index', () => {
    const { reset, split, index } = JSON.parse(row({ reset: ' {"a":\r\n1.0}' }));
    expect({ reset, split, index }).toEqual({ reset: { a: 1 }, split: undefined, index: undefined });
    expect(row({ reset: ' {"a":\r\n1.0}' })).toContain('"reset":{"a": 1.0},');
  });

  it('adds a fingerprint of its messages', () => {
    const fingerprints = new PromptFingerprints();
    new RowEncoder(options()).append(new ByteBuilder(Buffer.alloc(16)), task(3), TOOLS, fingerprints);
    const { input } = JSON.parse(row()).responses_create_params;
    expect(PromptFingerprints.parse(String(fingerprints))(0)).toBe(promptFingerprint(inputJson(input)));
  });
});

describe('reading a row', () => {
  it('finds the task id', () => {
    expect(taskIdOf(row())).toBe('@local/gridsim-v1/day-3');
    expect(taskIdOf(row({ prompt: ',"task_id":"x"' }))).toBe('@local/gridsim-v1/day-3');
  });

  it.each([
    ['an id with an escape', row({ id: 'a"b' })],
    ['half a row', row().slice(0, -2)],
    ['the end of a row', row().slice(1)],
    ['another last key', row().replace(/\}$/, ',"x":"y"}')],
  ])('leaves %s to a JSON parser', (_, text) => {
    expect(taskIdOf(text)).toBeUndefined();
  });

  it('replaces the messages', () => {
    const input = [{ role: 'user', content: '],"tools":[' }];
    const text = withInput(row(), input);
    expect(JSON.parse(text)).toEqual({
      ...JSON.parse(row()),
      responses_create_params: { input, tools: JSON.parse(TOOLS) },
    });
    expect(withInput(text, JSON.parse(row()).responses_create_params.input)).toBe(row());
  });

  it.each([
    ['white space', JSON.stringify(JSON.parse(row()), null, 1), true],
    ['escapes', row().replace('Day', '\\u0044ay'), true],
    ['another text', row().replace('Day', 'day'), false],
    ['another spelling of a number', row().replace('"index":3', '"index":3.0'), false],
  ])('compares rows that differ in %s', (_, text, isSame) => {
    expect(isSameRow(row(), text)).toBe(isSame);
  });
});
