// README.md and the README.md of a written folder have the same commands for a first rollout.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');
const readme = read('README.md');
const written = read('fixtures/roots/resources_servers/gridsim_v1/README.md');

/** The block of commands that installs NeMo Gym. */
function commandsIn(text: string): string | undefined {
  const blocks = [...text.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  return blocks.find((block) => block.includes('uv pip install'));
}

test('both have the same commands, in the Gym root', () => {
  expect(commandsIn(readme)).toBe(`cd gym-root\n${commandsIn(written)}`);
});

test('both start the model server with the same flags', () => {
  const flags = (text: string) => /vllm serve MODEL [^`\n]*/.exec(text)?.[0];
  expect(flags(readme)).toBe(flags(written));
  expect(flags(readme)).toContain('--enable-auto-tool-choice --tool-call-parser');
});

test('README.md has at most 120 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});
