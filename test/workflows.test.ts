import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const FOLDER = '.github/workflows';
const texts = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')] as const);
const inDocs = [...readFileSync('docs/ci.md', 'utf8').matchAll(/^```yaml\n(name: [\s\S]*?)^```$/gm)];

test.each([...texts, ...inDocs.map(([, text], at) => [`docs/ci.md ${at}`, String(text)] as const)])(
  'the workflow %s has read-only permissions, and pins its actions by commit',
  (_, text) => {
    expect(parse(text).permissions).toEqual({ contents: 'read' });
    const uses = text.match(/uses: .*/g) ?? [];
    expect(uses).not.toEqual([]);
    for (const use of uses) expect(use).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  },
);
