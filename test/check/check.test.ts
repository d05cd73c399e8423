import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { differenceLines } from '../../src/cli/ui/difference.js';
import { days, tool } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';
import { Root, statesIn, tempFolder } from './support.js';

async function served(count = 40) {
  const tasks = days(count);
  const server = await StandIn.start({ splits: { train: tasks, eval: tasks.slice(0, 5) } });
  const root = new Root(server.url);
  await root.write();
  return { server, root };
}

/** The lines that are shown for one file. */
async function told(root: Root, file: string): Promise<string[]> {
  const difference = (await root.check()).differences.find(({ path }) => path === file);
  return difference ? differenceLines(difference) : [];
}

function times(folder: string): Record<string, number> {
  const paths = ['.', ...(readdirSync(folder, { recursive: true }) as string[])].sort();
  return Object.fromEntries(paths.map((path) => [path, statSync(join(folder, path)).mtimeMs]));
}

test('finds no differences in a new root, and changes nothing', async () => {
  const { root } = await served();
  const before = times(root.gymRoot);
  expect(await root.check()).toMatchObject({ changed: false, differences: [] });
  expect(times(root.gymRoot)).toEqual(before);
});

test('does not create a missing root', async () => {
  const server = await StandIn.start();
  const root = new Root(server.url);
  expect(statesIn(await root.check())).toContain('create data/train.jsonl');
  expect(() => statSync(root.gymRoot)).toThrow();
});

describe('names exactly what changed', () => {
  test("a task's prompt on the server", async () => {
    const { server, root } = await served();
    server.splits.train = days(40, (number) => (number === 7 ? { prompt: 'Day seven.' } : {}));
    const before = times(root.gymRoot);
    expect(statesIn(await root.check())).toEqual(['update data/train.jsonl']);
    expect(await told(root, 'data/train.jsonl')).toEqual([
      "~ train[7] 'day-7' (line 8): prompt",
      '    - "Day 7."',
      '    + "Day seven."',
    ]);
    expect(times(root.gymRoot)).toEqual(before);
  });

  test('a removed task', async () => {
    const { server, root } = await served();
    server.splits.train = days(40).filter((_, number) => number !== 3);
    expect(statesIn(await root.check())).toEqual([
      'update README.md',
      'update data/train.jsonl',
      'update toolsets.json',
    ]);
    expect(await told(root, 'data/train.jsonl')).toEqual([
      "- train[3] 'day-3' removed (line 4)",
      "~ 36 rows: only the index differs (train[4] 'day-4', train[5] 'day-5', train[6] 'day-6', …)",
    ]);
  });

  describe('in edited rows', () => {
    const edits: [string, (lines: string[]) => string, string[]][] = [
      ['no line break at the end', (lines) => lines.join('\n').trimEnd(), ['! the last line has no line break']],
      ['a blank line', (lines) => lines.toSpliced(3, 0, '').join('\n'), ['! line 4 is blank']],
      ['a blank line at the end', (lines) => [...lines, ''].join('\n'), ['! line 41 is blank']],
      [
        'blanks on a line',
        (lines) => lines.toSpliced(0, 0, '  ', '\t').join('\n'),
        ['! line 1 is blank', '! line 2 is blank'],
      ],
      [
        'a row that is repeated',
        (lines) => lines.toSpliced(9, 0, lines[7] as string).join('\n'),
        ["! train[7] 'day-7' is repeated (line 10)"],
      ],
      [
        'a row that is repeated at the end',
        (lines) => [...lines.slice(0, -1), lines[0], ''].join('\n'),
        ["! train[0] 'day-0' is repeated (line 41)"],
      ],
      [
        'two rows that changed places',
        ([one, two, ...others]) => [two, one, ...others].join('\n'),
        ["! train[1] 'day-1' is out of order (line 1)", "! train[0] 'day-0' is out of order (line 2)"],
      ],
      [
        'a row that moved to the top',
        (lines) => [lines[20], ...lines.toSpliced(20, 1)].join('\n'),
        ["! train[20] 'day-20' is out of order (line 1)"],
      ],
      [
        'a row that moved, and another that is missing',
        (lines) => [lines[20], ...lines.toSpliced(20, 1).toSpliced(3, 1)].join('\n'),
        ["+ train[3] 'day-3' added (line 4)", "! train[20] 'day-20' is out of order (line 1)"],
      ],
      [
        'other JSON formatting',
        ([one = '', ...others]) => [one.replaceAll('","', '", "'), ...others].join('\n'),
        ["~ train[0] 'day-0' (line 1): JSON formatting"],
      ],
    ];
    test.each(edits)('%s', async (_, edit, expected) => {
      const { root } = await served();
      root.edit('data/train.jsonl', (text) => edit(text.split('\n')));
      expect(statesIn(await root.check())).toEqual(['edited data/train.jsonl']);
      expect(await told(root, 'data/train.jsonl')).toEqual(expected);
    });

    test('a repeated row next to a removed task', async () => {
      const { server, root } = await served();
      root.edit('data/train.jsonl', (text) => {
        const lines = text.split('\n');
        return lines.toSpliced(5, 0, lines[2] as string).join('\n');
      });
      server.splits.train = days(39);
      expect(await told(root, 'data/train.jsonl')).toEqual([
        "- train[39] 'day-39' removed (line 41)",
        "! train[2] 'day-2' is repeated (line 6)",
      ]);
    });
  });

  test('an added task', async () => {
    const { server, root } = await served();
    server.splits.eval = days(6);
    expect(await told(root, 'data/eval.jsonl')).toEqual(["+ eval[5] 'day-5' added (line 6)"]);
  });

  test("a tool's schema", async () => {
    const { server, root } = await served();
    const schema = { type: 'object', properties: { hours: { type: 'integer' } } };
    server.options.turns = () => [[tool('submit_schedule', schema), tool('end_turn')]];
    const files = ['data/eval.jsonl', 'data/train.jsonl', 'toolsets.json'];
    expect(statesIn(await root.check())).toEqual(files.map((file) => `update ${file}`));
    const rows = await told(root, 'data/train.jsonl');
    expect(rows[0]).toBe("~ train[0] 'day-0' (line 1): tool 'submit_schedule': parameters");
    expect(rows.at(-1)).toBe("~ 30 more; in total: tool 'submit_schedule': parameters (40 rows)");
    expect(rows).toHaveLength(31);
    const [, ...lines] = await told(root, 'toolsets.json');
    const changed = lines.filter((line) => /^[+-]/.test(line));
    expect(changed).toHaveLength(2);
    expect(changed[1]).toContain('hours');
  });

  test('an edited row', async () => {
    const { root } = await served();
    root.editRow('data/train.jsonl', 5, (row) => {
      row.responses_create_params.input[0] = { role: 'system', content: 'Run two batteries.' };
    });
    expect(statesIn(await root.check())).toEqual(['edited data/train.jsonl']);
    expect(await told(root, 'data/train.jsonl')).toEqual([
      "~ train[5] 'day-5' (line 6): system prompt",
      '    - "Run two batteries."',
      '    + "Run a battery."',
    ]);
  });

  test('a row that is not JSON, and a missing row', async () => {
    const { root } = await served();
    root.edit('data/eval.jsonl', (text) => `oops\n${text.split('\n').slice(2).join('\n')}`);
    const rows = await told(root, 'data/eval.jsonl');
    expect(rows).toContain('! oops is not a row (line 1)');
    expect(rows).toContain("+ eval[0] 'day-0' added (line 1)");
    expect(rows).toContain("+ eval[1] 'day-1' added (line 2)");
  });

  test('a deleted file and a stale file', async () => {
    const { server, root } = await served();
    rmSync(join(root.folder, 'app.py'));
    expect(statesIn(await root.check())).toEqual(['create app.py']);
    delete server.splits.eval;
    const states = statesIn(await root.check());
    expect(states).toContain('stale data/eval.jsonl');
    expect(states).toContain('create app.py');
  });

  test('one change in a config with CRLF', async () => {
    const { root } = await served();
    const config = 'configs/grid_v1.yaml';
    root.edit(config, (text) => text.replaceAll('\n', '\r\n'));
    expect(statesIn(await root.check())).toEqual([]);
    root.edit(config, (text) => text.replace('domain: agent', 'domain: math'));
    expect(statesIn(await root.check())).toEqual([`edited ${config}`]);
    const changed = (await told(root, config)).filter((line) => /^[+-]/.test(line));
    expect(changed).toEqual(['-      domain: math', '+      domain: agent']);
  });

  test('rows with CRLF are the same rows', async () => {
    const { root } = await served();
    root.edit('data/train.jsonl', (text) => text.replaceAll('\n', '\r\n'));
    expect(statesIn(await root.check())).toEqual([]);
  });

  test('a new version of a template is an update, not an edit', async () => {
    const { root } = await served();
    const lock = JSON.parse(root.read('gymgen.lock.json'));
    root.edit('README.md', (text) => `${text}\nOld words.\n`);
    const { createHash } = await import('node:crypto');
    lock.files['README.md'] = `sha256:${createHash('sha256').update(root.read('README.md')).digest('hex')}`;
    root.put('gymgen.lock.json', `${JSON.stringify(lock, null, 2)}\n`);
    expect(statesIn(await root.check())).toEqual(['update README.md']);
    expect(await told(root, 'README.md')).toContain('-Old words.');
  });
});

test('changed settings are not a difference', async () => {
  const { root } = await served();
  root.edit('configs/grid_v1.yaml', (text) => text.replace(/( +)(url:.*)/, '$1$2\n$1tool_timeout: 30'));
  expect((await root.check()).changed).toBe(false);
});

test('changed options are a difference in the lock file', async () => {
  const { root } = await served();
  const other = new Root(root.source, { maxSteps: '4' });
  Object.assign(other, { gymRoot: root.gymRoot });
  const { differences } = await other.check();
  expect(differences.map(({ path }) => path)).toEqual(['configs/grid_v1.yaml', 'gymgen.lock.json']);
  expect(differences[1]?.diff).toContain('+    "maxSteps": "4"');
});

test('refuses a folder that gymgen did not write, and one with an interrupted write', async () => {
  const { root } = await served();
  rmSync(join(root.folder, 'gymgen.lock.json'));
  await expect(root.check()).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('not written by') });
  const { mkdirSync } = await import('node:fs');
  const staging = join(root.gymRoot, '.gymgen', 'grid_v1');
  mkdirSync(staging, { recursive: true });
  writeFileSync(join(staging, 'journal.json'), '{}');
  await expect(root.check()).rejects.toMatchObject({ exitCode: 2, fix: expect.stringContaining(`remove ${staging}`) });
});

test('fails if the server is gone', async () => {
  const root = new Root('http://127.0.0.1:9');
  await expect(root.check()).rejects.toMatchObject({ exitCode: 2 });
  expect(tempFolder()).toBeTruthy();
});
