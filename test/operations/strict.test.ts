import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { showInspection } from '../../src/cli/ui/inspect.js';
import type { Terminal } from '../../src/cli/ui/terminal.js';
import { runBatch } from '../../src/operations/batch.js';
import { check } from '../../src/operations/check.js';
import { inspect } from '../../src/operations/inspect.js';
import { requestOf } from '../../src/operations/request.js';
import { StrictError } from '../../src/operations/strict.js';
import { write } from '../../src/operations/write.js';
import { discoverAll, Said } from '../support/discovered.js';
import { jsonl, serverWithoutTasks } from '../support/provided.js';
import { observation } from '../support/served-session.js';
import { day, tool } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

const signal = new AbortController().signal;
const gymRoot = () => mkdtempSync(join(tmpdir(), 'gymgen-strict-'));
const odd = () => StandIn.start({ turns: () => [[tool('trade', { type: 'array', items: {} })]] });
const WARNING = expect.stringMatching(/^tool 'trade': its type is "array", not "object" \[schema-top-level\]/);

test('a warning is shown, and the folder is written', async () => {
  const said = new Said();
  const report = await write(requestOf((await odd()).url, gymRoot(), {}), said, signal);
  expect(said.warnings).toEqual([WARNING]);
  expect(report.warnings).toMatchObject([{ code: 'schema-top-level', severity: 'warning' }]);
  expect(report.changed).toBe(true);
});

test('with --strict a warning is an error, exit code 1, and nothing is written', async () => {
  const root = gymRoot();
  const said = new Said();
  const failing = write(requestOf((await odd()).url, root, { strict: true }), said, signal);
  await expect(failing).rejects.toThrow(StrictError);
  await expect(failing).rejects.toMatchObject({ exitCode: 1, message: '1 warning with --strict; nothing was written' });
  expect(said.warnings).toEqual([WARNING]);
  expect(existsSync(join(root, 'resources_servers'))).toBe(false);
});

test('--strict counts warnings of probing, too', async () => {
  const steps = () => observation({ board: 1, answer: 'abc' }, { reward: 1, done: true });
  const server = await serverWithoutTasks({ shows: ({ seed }) => observation({ question: `${seed}?` }), steps });
  const request = requestOf(server.url, gymRoot(), { strict: true, episodes: '2' });
  await expect(write(request, new Said(), signal)).rejects.toThrow(StrictError);
});

test('--strict is not in the lock file, and changes nothing in a folder without warnings', async () => {
  const server = await StandIn.start();
  const roots = [gymRoot(), gymRoot()] as const;
  await write(requestOf(server.url, roots[0], {}), new Said(), signal);
  await write(requestOf(server.url, roots[1], { strict: true }), new Said(), signal);
  const [one, other] = roots.map((root) => {
    const folder = join(root, 'resources_servers', 'grid_v1');
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')]);
  });
  expect(other).toEqual(one);
});

test('check and batch support --strict', async () => {
  const server = await odd();
  const root = gymRoot();
  await write(requestOf(server.url, root, {}), new Said(), signal);
  const strict = requestOf(server.url, root, { strict: true });
  await expect(check(strict, new Said(), signal)).rejects.toThrow(StrictError);
  expect((await check(requestOf(server.url, root, {}), new Said(), signal)).changed).toBe(false);

  const observer = { begun: () => {}, reporter: () => new Said(), ended: () => {} };
  const fine = await StandIn.start({ name: 'other' });
  const jobs = [server.url, fine.url].map((url) => ({
    label: url,
    request: requestOf(url, gymRoot(), { strict: true }),
  }));
  const outcomes = await runBatch(
    jobs,
    { concurrency: 1, retries: 0, failFast: false, check: false },
    observer,
    signal,
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['failed', 'wrote']);
});

test('inspect lists warnings and problems that Gym would reject', async () => {
  const server = await StandIn.start({ turns: () => [[tool('trade', { type: 'array' })]] });
  const { warnings, refused } = await inspect(requestOf(server.url, '.', {}), new Said(), signal);
  expect(refused).toEqual([]);
  expect(warnings.map(({ code }) => code)).toEqual(['schema-top-level', 'schema-items']);
});

test('inspect shows each line of its result as one line', async () => {
  const server = await StandIn.start({ turns: () => [[tool('trade', { type: 'array' })]] });
  const lines: string[] = [];
  const terminal = { result: (line: string) => lines.push(line), detail() {}, document() {} } as unknown as Terminal;
  showInspection(await inspect(requestOf(server.url, '.', {}), new Said(), signal), terminal);
  expect(lines).toContain('warnings:');
  expect(lines.filter((line) => line.includes('\n'))).toEqual([]);
});

test.each([true, 1])('--reward with a score that is %s in a probed episode is no warning', async (passed) => {
  const steps = () => observation({ board: 1 }, { done: true, metadata: { scores: { passed } } });
  const server = await serverWithoutTasks({ shows: ({ seed }) => observation({ question: `${seed}?` }), steps });
  const request = requestOf(server.url, gymRoot(), { episodes: '2', reward: 'passed' });
  expect((await write(request, new Said(), signal)).warnings).toEqual([]);
});

test('--reward with a score that no probed episode ended with is a warning', async () => {
  const metadata = { scores: { acc: 1 } };
  const steps = () => observation({ board: 1 }, { reward: 1, done: true, metadata });
  const server = await serverWithoutTasks({ shows: ({ seed }) => observation({ question: `${seed}?` }), steps });
  const codes = async (reward: string) =>
    (await write(requestOf(server.url, gymRoot(), { episodes: '2', reward }), new Said(), signal)).warnings.map(
      ({ code, problem }) => `${code}: ${problem}`,
    );
  expect(await codes('acc')).toEqual([]);
  expect(await codes('other')).toEqual(["reward-score: no probed episode ended with this score (scores: 'acc')"]);
});

test('a reset that shows a different prompt than the task list is reported once', async () => {
  const shows = (prompt: string) => ({
    prompt,
    task: { id: '@local/srv/envs/grid-v1/day-0', split: 'train', index: 0 },
  });
  const server = await StandIn.start({
    splits: { train: [day(0)] },
    ws: ({ type }) => (type === 'reset' ? observation({}, { metadata: shows('Another.') }) : undefined),
  });
  expect((await discoverAll(server.url)).warnings).toEqual([
    expect.stringMatching(/^task train\[0\] 'day-0': the reset shows a different prompt than the task list/),
  ]);
});

test('tasks without prompts are written from their resets with --tasks, as the fix says', async () => {
  const server = await StandIn.start({
    splits: { train: [day(0, { prompt: undefined })] },
    ws: ({ type }) => (type === 'reset' ? observation({}, { metadata: { prompt: 'From the reset.' } }) : undefined),
  });
  await expect(discoverAll(server.url)).rejects.toMatchObject({
    message: expect.stringContaining('prompt must be a string, but is missing'),
    fix: expect.stringContaining(
      '--tasks FILE, a .jsonl file with a line such as {"reset":{"split":"train","index":0}}',
    ),
  });
  const file = jsonl({ reset: { split: 'train', index: 0 } });
  const { tasks } = await discoverAll(server.url, { provided: { file } });
  expect(tasks.map(({ prompt, reset }) => [prompt, reset])).toEqual([
    ['From the reset.', '{"split":"train","index":0}'],
  ]);
});
