import { expect, test } from 'vitest';
import type { FileDifference } from '../../../src/check/difference.js';
import { githubAnnotations, workflowCommand } from '../../../src/cli/ui/github.js';

function annotation(difference: FileDifference, folder = '/repo/root/resources_servers/x'): string | undefined {
  return githubAnnotations({ folder, differences: [difference] }, '/repo').map(workflowCommand)[0];
}

test('names the file relative to the workspace, and its line if there is one', () => {
  expect(annotation({ path: 'app.py', state: 'create' })).toBe(
    '::error file=root/resources_servers/x/app.py,title=gymgen check%3A create::app.py is missing',
  );
  expect(annotation({ path: 'app.py', state: 'edited', diff: ['@@ -7,3 +7,3 @@', '-a', '+b'] })).toContain(',line=7,');
});

test('escapes text of servers and paths: %, line breaks, and : and , in properties', () => {
  const rows = {
    added: { count: 0, first: [] },
    removed: { count: 1, first: [{ task: "train[0] '100%\r\n::error::x'", line: 3 }] },
    changed: { count: 0, first: [], fields: {} },
    moved: { count: 0, first: [] },
    reordered: { count: 0, first: [] },
    broken: { count: 0, first: [] },
    repeated: { count: 0, first: [] },
    blank: { count: 0, first: [] },
    unended: false,
  };
  const text = annotation({ path: 'data/a,b:c.jsonl', state: 'update', rows });
  expect(text).not.toMatch(/[\r\n]/);
  expect(text).toContain('file=root/resources_servers/x/data/a%2Cb%3Ac.jsonl,line=3');
  expect(text).toContain("'100%25\\r\\n::error::x'");
});

test('a long difference is cut', () => {
  const diff = Array.from({ length: 90 }, (_, n) => `+${n}`);
  expect(annotation({ path: 'a', state: 'update', diff })?.split('%0A')).toHaveLength(22);
});
