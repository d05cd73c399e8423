import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LIMITS } from '../../src/limits.js';
import { hashFile } from '../../src/output/index.js';
import { EditedPrompts } from '../../src/written/index.js';
import { tempFolder } from '../output/support/gym-root.js';
import { row, rows } from './support.js';

test('does not parse a toolsets.json of too many values', async () => {
  const folder = tempFolder();
  const file = join(folder, 'toolsets.json');
  writeFileSync(file, `{"toolsets":[${'[],'.repeat(LIMITS.jsonValues)}{"tools":[]}]}`);
  writeFileSync(join(folder, 'train.jsonl'), `${row('edited')}\n`);
  const lock = {
    format: 1 as const,
    files: { 'toolsets.json': String(await hashFile(file)), 'train.jsonl': `sha256:${'0'.repeat(64)}` },
    prompts: { 'train.jsonl': 'AAAA' },
    keptPrompts: ['train.jsonl'],
  };
  const prompts = new EditedPrompts(folder, lock, false);
  const began = process.memoryUsage().heapUsed;
  for await (const file of prompts.restore(oneFile())) expect(file.path).toBe('train.jsonl');
  expect(process.memoryUsage().heapUsed - began).toBeLessThan(30 * 2 ** 20);
});

async function* oneFile() {
  yield { path: 'train.jsonl', rows: rows(row('short')) };
}
