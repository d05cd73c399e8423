import { expect, it, vi } from 'vitest';
import { RowWriter } from '../../src/gym/row-writer.js';
import { ToolsetTexts } from '../../src/gym/toolsets.js';
import { LIMITS } from '../../src/limits.js';
import type { GymOptions, Task } from '../../src/model.js';
import { Findings } from '../../src/rules/index.js';
import { options, SOLVER, task, tool, toolset } from './discovery.js';
import { texts } from './files.js';

async function write(tasks: Task[], changes: Partial<GymOptions> = {}) {
  const findings = new Findings();
  const all = options(changes);
  const writer = new RowWriter(all, new ToolsetTexts(all, findings), findings);
  const examples: string[] = [];
  async function* pages() {
    yield tasks;
  }
  const chunks = await texts(writer.rows(pages(), examples));
  return { chunks, lines: chunks.join('').split('\n').slice(0, -1), examples, findings };
}

it('has the keys of a row in order', async () => {
  const { lines } = await write([task(3)]);
  expect(lines).toEqual([
    '{"responses_create_params":{"input":[{"role":"system","content":"You run a battery."},{"role":"user","content":"Day 3"}],' +
      '"tools":[{"type":"function","name":"submit_schedule","description":"Runs submit_schedule.",' +
      '"parameters":{"type":"object","properties":{}},"strict":false},{"type":"function","name":"end_turn",' +
      '"description":"Runs end_turn.","parameters":{"type":"object","properties":{}},"strict":false}]},' +
      '"agent_ref":{"type":"responses_api_agents","name":"gridsim_v1_simple_agent"},"split":"train","index":3,' +
      '"task_id":"@local/gridsim-v1/day-3"}',
  ]);
});

it.each([
  [null, undefined, undefined],
  ['', undefined, undefined],
  ['Own.', undefined, 'Own.'],
  [null, 'Added.', 'Added.'],
  ['', 'Added.', 'Added.'],
  ['Own.', 'Added.', 'Own.\n\nAdded.'],
  ['Own.', '', 'Own.'],
])('the system prompt %j with %j appended becomes %j', async (systemPrompt, added, want) => {
  const { lines } = await write([task(0, { systemPrompt })], added === undefined ? {} : { appendSystemPrompt: added });
  const { input } = JSON.parse(lines[0] as string).responses_create_params;
  expect(input).toEqual([
    ...(want === undefined ? [] : [{ role: 'system', content: want }]),
    { role: 'user', content: 'Day 0' },
  ]);
});

it('escapes line breaks and control characters', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an ordinary text
  const prompt = 'a\n\r\u0085\u2028\u2029\0\u001e"\\😀\ufeff${x}{{y}}"""';
  const { lines, findings } = await write([task(0, { prompt })]);
  expect(lines).toHaveLength(1);
  for (const char of '\r\u0085\u2028\u2029\0\u001e') expect(lines[0]).not.toContain(char);
  expect(JSON.parse(lines[0] as string).responses_create_params.input[1].content).toBe(prompt);
  expect(findings.any).toBe(false);
});

it('skips tasks that Gym would refuse, and names each', async () => {
  const tasks = [task(0), task(1, { prompt: '' }), task(2, { systemPrompt: '\ud800' }), task(3)];
  const { lines, findings } = await write(tasks);
  expect(lines.map((line) => JSON.parse(line).index)).toEqual([0, 3]);
  expect(findings.list.map(({ code, subject }) => [code, subject])).toEqual([
    ['row-prompt', "task train[1] '@local/srv/envs/gridsim-v1/day-1'"],
    ['row-system-prompt', "task train[2] '@local/srv/envs/gridsim-v1/day-2'"],
  ]);
});

it('finds what `gymgen validate` would find in a row, in any row', async () => {
  const large = 'x'.repeat(LIMITS.rowBytes);
  const deep = `${'{"a":'.repeat(125)}1${'}'.repeat(125)}`;
  const tasks = [
    task(0),
    task(1, { prompt: large }),
    task(2, { systemPrompt: large }),
    task(3, { toolset: toolset([[tool('deep', `{"type":"object","properties":${deep}}`)]]) }),
    task(4, { reset: deep }),
  ];
  const { findings } = await write(tasks);
  expect(findings.list.map(({ code, subject }) => [code, subject])).toEqual([
    ['row-size', "row of task train[1] '@local/srv/envs/gridsim-v1/day-1'"],
    ['row-size', "row of task train[2] '@local/srv/envs/gridsim-v1/day-2'"],
    ['tool-json', "tool 'deep'"],
    ['row-depth', "row of task train[3] '@local/srv/envs/gridsim-v1/day-3'"],
  ]);
});

it('judges one row of each list of tools', async () => {
  const other = toolset([[tool('other')]]);
  const parse = vi.spyOn(JSON, 'parse');
  await write([...Array(100).keys()].map((index) => task(index, { toolset: index % 2 === 0 ? SOLVER : other })));
  const rows = parse.mock.calls.filter(([text]) => text.startsWith('{"responses_create_params"'));
  parse.mockRestore();
  expect(rows.length).toBe(2);
});

it('has each task’s own tools, or an empty list', async () => {
  const { lines } = await write([task(0), task(1, { toolset: toolset([[]]) })]);
  expect(lines.map((line) => JSON.parse(line).responses_create_params.tools.length)).toEqual([2, 0]);
});

it('collects the first five rows as examples', async () => {
  const { lines, examples } = await write([...Array(7).keys()].map((index) => task(index)));
  expect(examples).toEqual(lines.slice(0, 5).map((line) => `${line}\n`));
});

it('comes in chunks of whole lines', async () => {
  const prompt = 'x'.repeat(10_000);
  const { chunks } = await write([...Array(100).keys()].map((index) => task(index, { prompt, toolset: SOLVER })));
  expect(chunks.length).toBeGreaterThan(3);
  expect(chunks.every((chunk) => chunk.endsWith('}\n') && chunk.length < 512 * 1024)).toBe(true);
});
