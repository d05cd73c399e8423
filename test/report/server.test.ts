import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linesFile, partsOf, reported, tempFolder } from './support.js';

const HASH = `sha256:${'0'.repeat(64)}`;

function row(index: number, prompt: string): object {
  return {
    responses_create_params: {
      input: [
        { role: 'system', content: 'Trade.' },
        { role: 'user', content: [{ type: 'input_text', text: prompt }] },
      ],
      tools: [{ name: 'end_turn' }],
    },
    task_id: `day-${index}`,
  };
}

/** A written folder with rows of these lengths. */
function serverFolder(rows: (object | string)[]): string {
  const folder = join(tempFolder(), 'grid_v1');
  mkdirSync(join(folder, 'data'), { recursive: true });
  const files = { 'app.py': HASH, 'data/train.jsonl': HASH, 'data/example.jsonl': HASH };
  writeFileSync(join(folder, 'gymgen.lock.json'), JSON.stringify({ format: 1, files }));
  linesFile(join(folder, 'data/train.jsonl'), rows);
  linesFile(join(folder, 'data/example.jsonl'), rows.slice(0, 1));
  const tools = [{ name: 'end_turn', description: 'Ends <the> turn.' }];
  writeFileSync(
    join(folder, 'toolsets.json'),
    JSON.stringify({ toolsets: [{ key: 'agent:trader', turns: [['end_turn']], tools }] }),
  );
  return folder;
}

test('a server has its rows, the lengths of its prompts, and its toolsets', async () => {
  const folder = serverFolder([row(0, 'abcd'), row(1, 'x'.repeat(1994)), '', 'no JSON']);
  const file = join(tempFolder(), 'report.html');
  const report = await reported({ inputs: [folder], file, maxTotalSequenceLength: 500 });
  const tools = JSON.stringify([{ name: 'end_turn' }]).length;
  expect(report).toEqual({
    kind: 'server',
    name: 'grid_v1',
    splits: [
      {
        name: 'train',
        rows: 2,
        prompt: expect.objectContaining({ least: 10, most: 2000 }),
        tools: expect.objectContaining({ least: tools, most: tools }),
        unreadable: 1,
      },
    ],
    toolsets: [{ key: 'agent:trader', tools: ['end_turn'], turns: 1 }],
    overLimit: { count: 1, longest: [{ row: 'train 1 · day-1', tokens: Math.ceil((2000 + tools) / 4) }] },
  });
  const { markup, index } = partsOf(file);
  expect(Object.keys(index.charts as object)).toEqual(['prompt', 'tools', 'tokens']);
  expect(markup).toContain('Ends &lt;the&gt; turn.');
  expect(markup).toContain('1 row over 500 tokens at 4 characters per token');
  expect(markup).toContain('1 line could not be read as rows');
});

test('a folder that gymgen did not write is refused', async () => {
  await expect(reported({ inputs: [tempFolder()] })).rejects.toMatchObject({
    message: 'folder was not written by gymgen',
  });
});

test('damaged toolsets are refused, and links are not followed', async () => {
  const folder = serverFolder([row(0, 'a')]);
  writeFileSync(join(folder, 'toolsets.json'), '{"toolsets": 7}');
  await expect(reported({ inputs: [folder] })).rejects.toMatchObject({ message: 'toolsets.json is damaged' });

  const linked = join(tempFolder(), 'linked');
  mkdirSync(linked);
  writeFileSync(join(linked, 'gymgen.lock.json'), JSON.stringify({ format: 1, files: { 'data/train.jsonl': HASH } }));
  writeFileSync(join(linked, 'toolsets.json'), '{"toolsets": []}');
  symlinkSync(join(folder, 'data'), join(linked, 'data'));
  await expect(reported({ inputs: [linked] })).rejects.toMatchObject({ name: 'UserError' });
});
