import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rolloutLines } from '../../bench/support/rollouts.mjs';
import { linesFile, partsOf, reported, simpleRollout, tempFolder } from './support.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');
const all = (options: Parameters<typeof rolloutLines>[0]) => [...rolloutLines(options)].map((line) => JSON.parse(line));

describe('the page of 200 rollouts', () => {
  const lines = all({ tasks: 50, repeats: 4, faults: 0.2 });
  const write = async () => {
    const folder = tempFolder();
    const input = linesFile(join(folder, 'rollouts.jsonl'), lines);
    const file = join(folder, 'report.html');
    await reported({ inputs: [input], file });
    return { file, folder };
  };

  test('is under 1 MB, has all rewards and conversations, and no token ids', async () => {
    const { file, folder } = await write();
    expect(statSync(file).size).toBeLessThan(1e6);
    expect(readdirSync(folder).sort()).toEqual(['report.html', 'rollouts.jsonl']);
    const { index, blocks } = partsOf(file);
    const columns = index.columns as Record<string, number[]>;
    const rewards = new Map(columns.line?.map((line, at) => [line, columns.reward?.[at]]));
    expect(lines.map((_, at) => rewards.get(at + 1))).toEqual(lines.map(({ reward }) => reward));
    expect(blocks.flat()).toHaveLength(200);
    expect(JSON.stringify(blocks)).not.toContain('token_ids');
  });

  test('lists masked rollouts first, and the others by reward', async () => {
    const { index } = partsOf((await write()).file);
    const { mask = [], reward = [] } = index.columns as Record<string, number[]>;
    const masked = mask.filter((kind) => kind >= 0).length;
    expect(mask.slice(0, masked).every((kind) => kind >= 0)).toBe(true);
    const rest = reward.slice(masked);
    expect(rest).toEqual([...rest].sort((one, other) => one - other));
  });

  test('has the same bytes for the same rollouts', async () => {
    const [one, other] = [await write(), await write()];
    expect(readFileSync(one.file).equals(readFileSync(other.file))).toBe(true);
  });

  test('allows only its own script and style', async () => {
    const { html } = partsOf((await write()).file);
    const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(html)?.[1] ?? '';
    const [style, script] = [
      /<style>([\s\S]*?)<\/style>/.exec(html)?.[1],
      /<script>([\s\S]*?)<\/script>/.exec(html)?.[1],
    ];
    expect(policy).toBe(
      `default-src 'none'; script-src 'sha256-${sha256(script ?? '')}'; style-src 'sha256-${sha256(style ?? '')}'; ` +
        "img-src data:; base-uri 'none'; form-action 'none'",
    );
    expect(html).not.toMatch(/(?:src|href)="(?!data:|#)/);
    expect(html).not.toMatch(/ style=/);
    expect(script?.includes('Leon Sorokin'), 'the notice that the license of uPlot wants in each copy').toBe(true);
  });
});

test('text of servers and models is data', async () => {
  const evil = '</script><script>alert(1)</script><img src=x onerror=alert(1)>"\'&\u202e\u{e0041}\ud800';
  const folder = tempFolder();
  const input = linesFile(join(folder, 'rollouts.jsonl'), [
    simpleRollout({
      split: evil,
      task_id: evil,
      agent_ref: { name: evil },
      mask_sample: true,
      failure_kind: evil,
      failure_reason: evil,
      response: { output: [{ type: 'function_call', call_id: 'c', name: evil, arguments: evil }] },
    }),
    `${evil}`,
  ]);
  const file = join(folder, 'report.html');
  await reported({ inputs: [input], file });
  const { markup, blocks } = partsOf(file);
  expect(markup).not.toMatch(/<script|<img|[\u202e\u{e0041}\ud800]/u);
  expect(markup).toContain('&lt;/script&gt;');
  expect(markup).toContain('\\u202e\\u{e0041}\\ud800');
  expect(markup).toContain('1 line could not be read: line 2, not valid JSON');
  expect(blocks[0]?.[0]?.entries.at(-1)?.text).toBe(evil);
});

test('two files are set side by side, with the change over their common tasks', async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'before'));
  mkdirSync(join(folder, 'after'));
  const inputs = [
    linesFile(join(folder, 'before/rollouts.jsonl'), all({ tasks: 20, skill: 0.2 })),
    linesFile(join(folder, 'after/rollouts.jsonl'), all({ tasks: 20, skill: 0.9 })),
  ];
  const file = join(folder, 'report.html');
  const report = await reported({ inputs, file });
  expect(report).toMatchObject({ runs: [{ file: inputs[0] }, { file: inputs[1] }], change: { tasks: 20 } });
  const { markup, index } = partsOf(file);
  expect(markup).toContain('<h1>before/rollouts.jsonl and after/rollouts.jsonl</h1>');
  expect(markup).toMatch(/<th scope="row">Mean reward<\/th>.*95 % interval.*20 tasks in common/);
  expect((index.charts as { reward: { series: number[][] } }).reward.series).toHaveLength(2);
});

test('a limit is marked in the histograms of prompts and sequences', async () => {
  const folder = tempFolder();
  const file = join(folder, 'report.html');
  const inputs = [linesFile(join(folder, 'rollouts.jsonl'), all({ tasks: 50 }))];
  await reported({ inputs, file, maxTotalSequenceLength: 1500 });
  const { markup, index } = partsOf(file);
  const charts = index.charts as Record<string, { limit?: number }>;
  expect(Object.entries(charts).map(([key, { limit }]) => [key, limit])).toEqual([
    ['reward', undefined],
    ['generated', undefined],
    ['prompt', 1500],
    ['sequence', 1500],
  ]);
  expect(markup).toMatch(/\d+ over the limit of 1,500/);
  await reported({ inputs, file, maxTotalSequenceLength: 100_000 });
  expect(partsOf(file).markup).toContain('none over the limit of 100,000');
});

describe('the file to write', () => {
  const input = (folder: string) => linesFile(join(folder, 'rollouts.jsonl'), [simpleRollout()]);

  test('is replaced if it is a report, and otherwise only with --force', async () => {
    const folder = tempFolder();
    const file = join(folder, 'page.html');
    writeFileSync(file, 'my page');
    await expect(reported({ inputs: [input(folder)], file })).rejects.toMatchObject({
      message: 'file exists and is not a gymgen report',
      fix: 'choose another name, or add --force to replace it',
    });
    expect(readFileSync(file, 'utf8')).toBe('my page');
    await reported({ inputs: [input(folder)], file, force: true });
    await reported({ inputs: [input(folder)], file });
    expect(readFileSync(file, 'utf8')).toContain('gymgen report');
  });

  test('stays as it was, without leftovers, if the report fails or is interrupted', async () => {
    const folder = tempFolder();
    const file = join(folder, 'report.html');
    await reported({ inputs: [input(folder)], file });
    const before = readFileSync(file);
    const rows = linesFile(join(folder, 'rows.jsonl'), [{ responses_create_params: {} }, '{']);
    await expect(reported({ inputs: [rows], file })).rejects.toMatchObject({
      message: 'no rollouts in this file',
      where: rows,
      details: ['line 1: neither a reward nor a response', 'line 2: not valid JSON'],
    });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['report.html', 'rollouts.jsonl', 'rows.jsonl']);
  });

  test.each([
    ['a folder', 'is a folder, not a file'],
    ['a link that leads nowhere', 'broken symlink'],
  ])('cannot be %s', async (what, message) => {
    const folder = tempFolder();
    const file = join(folder, 'page');
    if (what === 'a folder') mkdirSync(file);
    else symlinkSync('nowhere', file);
    await expect(reported({ inputs: [input(folder)], file })).rejects.toMatchObject({ message });
  });
});

test('more files than there are colors, and a folder together with a file, are refused', async () => {
  const folder = tempFolder();
  const one = linesFile(join(folder, 'a.jsonl'), [simpleRollout()]);
  await expect(reported({ inputs: Array(7).fill(one) })).rejects.toMatchObject({
    message: 'too many files for one report: 7',
  });
  await expect(reported({ inputs: [folder, one] })).rejects.toMatchObject({
    message: 'a folder cannot be combined with other inputs',
  });
});
