// batch --check is a check: files, reasons and exit codes, and mistakes before anything is started.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCli, tempFolder } from '../../support/built-cli.js';
import { gymgenHere } from '../../support/cli-here.js';
import { days } from '../../support/served-tasks.js';
import { type Asked, StandIn } from '../../support/stand-in.js';

const ROWS = 'root/resources_servers/grid_v1/data/train.jsonl';

async function written() {
  const server = await StandIn.start({ splits: { train: days(5) } });
  const cwd = tempFolder();
  const run = (...args: string[]) => gymgenHere(args, { cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } });
  await run(server.url, 'root');
  const batch = (...args: string[]) => run('batch', '--check', '--source', server.url, '--root', 'root', ...args);
  const put = (file: string, text: string) => writeFileSync(join(cwd, file), text);
  return { server, cwd, run, batch, put };
}

describe('a source that differs', () => {
  async function differing() {
    const place = await written();
    place.put(ROWS, readFileSync(join(place.cwd, ROWS), 'utf8').replace('Day 3.', 'My day.'));
    return place;
  }

  test('is told with its files and reasons, as check tells them: exit 1', async () => {
    const { server, run, batch } = await differing();
    const check = await run('check', server.url, 'root');
    const { stdout, exitCode } = await batch();
    expect(exitCode).toBe(1);
    const [, ...details] = check.stdout.trimEnd().split('\n');
    expect(details[1]).toBe('edited  data/train.jsonl');
    expect(stdout.trimEnd().split('\n')).toEqual(['differs  grid_v1  5 rows, 1 toolset', ...details, '1 differs']);
  });

  test('has the same document as in check', async () => {
    const { server, run, batch } = await differing();
    const [folder] = JSON.parse((await run('check', server.url, 'root', '--json')).stdout).folders;
    const [job] = JSON.parse((await batch('--json')).stdout).jobs;
    expect(job).toMatchObject({ status: 'differs', check: folder });
  });

  test('has annotations with --github', async () => {
    const { stdout } = await (await differing()).batch('--github');
    expect(stdout).toMatch(/^::error file=root\/resources_servers\/grid_v1\/data\/train\.jsonl,line=4,/m);
  });
});

test('a source that cannot be compared: exit 2, also next to one that differs, and the others go on', async () => {
  const { run, server } = await written();
  const sources = ['--source', 'http://127.0.0.1:9', '--source', server.url, '--retries', '0', '--root', 'root'];
  const { exitCode, stdout } = await run('batch', '--check', ...sources, '--github');
  expect([exitCode, stdout]).toEqual([2, expect.stringMatching(/^failed .*\n[\s\S]*^same {4}grid_v1/m)]);
  expect(stdout).toMatch(/^::error title=gymgen check%3A failed::http.*connection refused/m);
  expect((await run('batch', ...sources)).exitCode).toBe(1);
});

test('check --github annotates a failure, too', async () => {
  const { run } = await written();
  const { exitCode, stdout } = await run('check', 'http://127.0.0.1:9', 'root', '--github');
  expect([exitCode, stdout]).toEqual([2, expect.stringMatching(/^::error title=gymgen check%3A failed::connection/m)]);
});

describe('a batch file', () => {
  test('may merge keys of YAML', async () => {
    const { run, put, server } = await written();
    put(
      'b.yaml',
      `root: r\nsources:\n  - &a { source: "${server.url}", limit: 2, name: a }\n  - { <<: *a, name: b, reward-rule: sum, probe-turns: first }\n`,
    );
    const { stdout } = await run('batch', 'b.yaml');
    expect(stdout).toBe('wrote  a  2 rows, 1 toolset\nwrote  b  2 rows, 1 toolset\n2 wrote\n');
  });

  const mistakes: [string, string, RegExp][] = [
    ['a name that Gym refuses', 'sources: [{ source: http://x, name: 123 }]', /name '123': is not[\s\S]*b\.yaml:1:11/],
    [
      'several, in one message',
      'sources:\n  - { source: http://x, name: 123 }\n  - { source: http://x, limit: 0, name: b }',
      /b\.yaml:2:5: NeMo Gym would[\s\S]*b\.yaml:3:5: invalid option value; --limit must be 1 or more/,
    ],
    ['a license', 'sources: [{ source: http://x, datasets: train=train, license: Nope }]', /Nope[\s\S]*b\.yaml:1:11/],
    ['two documents', '---\nsources: [x]\n---\nsources: []', /b\.yaml:3:1: a second YAML document; write one per file/],
    [
      'an option without a value',
      'sources:\n  - { source: x, limit: }',
      /b\.yaml:2:\d+: limit: must be a single value/,
    ],
  ];
  test.each(mistakes)('is refused with the line before anything is started: %s', async (_, text, told) => {
    const { run, put, server } = await written();
    put('b.yaml', `${text}\n`);
    const asked = server.asked.length;
    const { exitCode, stderr, stdout } = await run('batch', 'b.yaml', '--root', 'r');
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(told)]);
    expect(server.asked.length).toBe(asked);
  });
});

describe('a text option that is empty or begins with @', () => {
  test('in a file: a check of the root can follow what the lock file says', async () => {
    const { run, put, server } = await written();
    put('empty.txt', '\n');
    expect((await run(server.url, 'r', '--append-system-prompt', '@empty.txt')).exitCode).toBe(0);
    expect((await run('check', 'r')).exitCode).toBe(0);
    put('at.txt', '@alice says');
    const { exitCode, stderr } = await run(server.url, 'r', '--append-system-prompt', '@at.txt');
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/text begins with @[\s\S]*at\.txt/)]);
  });
});

test('if the tools of probed tasks begin to differ, check tells the file and the reason, and a fix that works', async () => {
  const { server, run } = await written();
  server.splits.train = days(200);
  await run(server.url, 'many');
  server.options.turns = ({ name }) => [[{ name: name === 'day-0' ? 'look' : 'act', input_schema: {} }]];
  const check = await run('check', 'many');
  expect(check.exitCode).toBe(1);
  expect(check.stdout).toMatch(/^update {2}toolsets\.json \(tasks of one agent have different tools: train\[0\]/m);
  expect(check.stdout).toContain('many --name grid_v1 --probes all');
  const update = await run('update', 'many');
  expect([update.exitCode, update.stderr]).toEqual([2, expect.stringContaining('the lock file decides these options')]);
  expect((await run(server.url, 'many', '--name', 'grid_v1', '--probes', 'all')).exitCode).toBe(0);
  expect((await run('check', 'many')).exitCode).toBe(0);
});

test('the folder of an environment that has another name now is told', async () => {
  const { server, run } = await written();
  Object.assign(server, { name: 'store-v1' });
  const told = 'other   grid_v1 (written from this source, which now serves store-v1)';
  expect((await run('check', server.url, 'root')).stdout).toContain(told);
  await run(server.url, 'root');
  const { exitCode, stdout } = await run('check', server.url, 'root');
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(told)]);
  expect(JSON.parse((await run('check', server.url, 'root', '--json')).stdout).folders[0].former).toEqual(['grid_v1']);
});

test('an interrupted batch prints the results so far to stdout, and exits with the code of the signal', async () => {
  const hangs = ({ path }: Asked) => (path === '/list_environments' ? undefined : new Promise<never>(() => {}));
  const hanging = await StandIn.start({ name: 'slow-v1', http: hangs, mayLeak: true });
  const { server, cwd } = await written();
  const args = [
    'batch',
    '--source',
    server.url,
    '--source',
    hanging.url,
    '--root',
    'root',
    '--concurrency',
    '2',
    '--json',
  ];
  const batch = builtCli()(args, { cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } });
  let said = '';
  batch.stderr?.on('data', (text) => {
    said += text;
    if (said.includes('unchanged') && !batch.killed) batch.kill('SIGTERM'); // a second signal would end it at once
  });
  const { exitCode, stdout } = await batch;
  expect(exitCode).toBe(143);
  expect(JSON.parse(String(stdout)).jobs).toMatchObject([{ status: 'unchanged' }, { status: 'skipped' }]);
}, 60_000);
