// The page of gymgen report in a real browser.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { rolloutLines } from '../../bench/support/rollouts.mjs';
import { findChromium } from '../../scripts/toolchain.mjs';
import { mustGymgen, tempFolder } from './support/gymgen.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** An expression for the elements with problems, by rule. */
const VIOLATIONS = `axe.run().then(({ violations }) =>
  violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 200))]))`;
const work = tempFolder();
const executablePath = findChromium();
const WIDE = { width: 1180, height: 900 };
const PHONE = { width: 390, height: 844 };

const EVIL = '</script><img src=http://127.0.0.1:9/x onerror=document.title="owned">\u202e';

/** Some rollouts of gridsim, and one with hostile text, whose line is the last. */
function rollouts(options: Parameters<typeof rolloutLines>[0]): string {
  const lines = [...rolloutLines(options)];
  const hostile = JSON.parse(lines[0] as string);
  const message = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: EVIL + 'x'.repeat(10_000_000) }],
  };
  const call = { type: 'function_call', call_id: 'c', name: EVIL, arguments: JSON.stringify({ n: '\u202e' }) };
  const own = {
    task_id: EVIL,
    index: options.tasks,
    reward: 2,
    mask_sample: false,
    failure_kind: null,
    failure_reason: null,
  };
  return `${lines.join('')}${JSON.stringify({ ...hostile, ...own, response: { output: [call, message] } })}\n`;
}

/** A written folder with three rows. */
function serverFolder(): string {
  const folder = join(work, 'gridsim_v1');
  mkdirSync(join(folder, 'data'), { recursive: true });
  const files = { 'data/train.jsonl': `sha256:${'0'.repeat(64)}` };
  writeFileSync(join(folder, 'gymgen.lock.json'), JSON.stringify({ format: 1, files }));
  const tools = [{ name: 'end_turn', description: EVIL }];
  const toolsets = [{ key: 'agent:trader', turns: [['end_turn']], tools }];
  writeFileSync(join(folder, 'toolsets.json'), JSON.stringify({ toolsets }));
  const row = (content: string) => JSON.stringify({ responses_create_params: { input: [{ role: 'user', content }] } });
  writeFileSync(
    join(folder, 'data/train.jsonl'),
    ['a', 'b'.repeat(100), EVIL].map((text) => `${row(text)}\n`).join(''),
  );
  return folder;
}

const TASKS = 80;
const REPEATS = 4;
const COUNT = TASKS * REPEATS + 1;

/** The page draws after its address has changed. */
const LATE = { timeout: 60_000 };

/** Waits for an expression. (The page's security policy forbids the `eval` of `page.waitForFunction`.) */
async function becomesTrue(page: Page, expression: string): Promise<void> {
  await expect.poll(() => page.evaluate(expression), LATE).toBe(true);
}

describe.skipIf(executablePath === undefined)('the page in Chromium', () => {
  let browser: Browser;
  let single: string;
  let pair: string;
  let server: string;
  const problems: string[] = [];

  beforeAll(async () => {
    const file = (name: string, text: string) => {
      writeFileSync(join(work, name), text);
      return join(work, name);
    };
    const after = file('after.jsonl', rollouts({ tasks: TASKS, repeats: REPEATS, faults: 0.1, skill: 0.6 }));
    const before = file('before.jsonl', [...rolloutLines({ tasks: TASKS, repeats: REPEATS, skill: 0.2 })].join(''));
    await mustGymgen('report', after, '-o', join(work, 'single.html'), '--max-total-sequence-length', '1600');
    await mustGymgen('report', before, after, '-o', join(work, 'pair.html'));
    await mustGymgen('report', serverFolder(), '-o', join(work, 'server.html'), '--max-total-sequence-length', '20');
    [single, pair, server] = ['single.html', 'pair.html', 'server.html'].map(
      (name) => pathToFileURL(join(work, name)).href,
    ) as [string, string, string];
    browser = await chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND'],
    });
  });
  afterAll(() => browser?.close());
  afterEach(() => {
    expect(problems.splice(0)).toEqual([]);
  });

  /** Opens a page. Requests, errors and messages of the console are problems. */
  async function open(url: string, hash = '', { viewport = WIDE, dark = false } = {}): Promise<Page> {
    const context = await browser.newContext({ viewport, colorScheme: dark ? 'dark' : 'light' });
    const page = await context.newPage();
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) problems.push(`request: ${request.url()}`);
    });
    page.on('console', (message) => problems.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
    await page.goto(url + hash);
    await page.waitForSelector('html[data-ready]');
    return page;
  }

  /** The hash of the page, decoded. */
  const hashOf = async (page: Page) => decodeURIComponent(new URL(page.url()).hash);
  const rewardsIn = (page: Page) => page.locator('.rollouts tbody td.reward > span:first-child').allTextContents();
  const focused = (page: Page) => page.evaluate<string>('document.activeElement?.textContent ?? ""');

  test('lists the rollouts worst first, a page at a time', async () => {
    const page = await open(single);
    expect(await page.locator('#count').textContent()).toBe(`${COUNT} rollouts`);
    const rewards = await rewardsIn(page);
    expect(rewards).toHaveLength(200);
    expect(rewards[0]).toBe('masked');
    await page.getByRole('button', { name: 'Next' }).click();
    expect(await page.locator('#pages span').textContent()).toBe(`201 to ${COUNT} of ${COUNT}`);
    expect((await rewardsIn(page)).at(-1)).toBe('2.000');
    expect(await page.locator('canvas').count()).toBe(5);
    await page.context().close();
  });

  test('is played with the keyboard: j, k, Enter, / and Escape', async () => {
    const page = await open(single);
    const links = page.locator('td.task a');
    await page.keyboard.press('j');
    expect(await focused(page)).toBe(await links.nth(0).textContent());
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    const second = await links.nth(1).textContent();
    expect(await focused(page)).toBe(second);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.entries');
    expect(await page.locator('#rollout h1').textContent()).toBe(second);
    expect(await page.locator('.position').textContent()).toBe(`2 of ${COUNT}`);
    await page.keyboard.press('j');
    await page.getByText(`3 of ${COUNT}`).waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.getByText(`1 of ${COUNT}`).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForSelector('#rollout', { state: 'hidden' });
    expect(await focused(page)).toBe(await links.nth(0).textContent());
    await page.keyboard.press('/');
    await becomesTrue(page, 'document.activeElement?.id === "filter"');
    await page.keyboard.type('is:zero jk/');
    await page.getByText('No rollout matches the filter.').waitFor();
    expect(await hashOf(page)).toContain('filter=is:zero+jk/');
    await page.context().close();
  });

  test('filters by the address, the figures, the bars and the charts', async () => {
    const page = await open(single, '#filter=is:masked&sort=tasks');
    expect(new Set(await rewardsIn(page))).toEqual(new Set(['masked']));
    expect(await page.locator('#filter').inputValue()).toBe('is:masked');
    expect(await page.locator('#sort').inputValue()).toBe('tasks');
    await page.locator('.figures a', { hasText: ' of ' }).nth(1).click();
    await becomesTrue(page, 'document.getElementById("filter").value === "is:zero"');
    await expect.poll(async () => [...new Set(await rewardsIn(page))], LATE).toEqual(['0.000']);
    await page.getByRole('link', { name: 'session_lost' }).click();
    await becomesTrue(page, 'location.hash.includes("session_lost")');
    const faults = page.locator('td.task .bad');
    await expect.poll(async () => [...new Set(await faults.allTextContents())], LATE).toEqual(['session_lost']);
    await page.locator('[data-chart=reward] .u-over').click({ position: { x: 3, y: 60 } });
    await becomesTrue(page, 'location.hash.includes("reward")');
    await expect.poll(() => hashOf(page), LATE).toBe('#filter=reward:0..0.1');
    await expect.poll(async () => (await rewardsIn(page)).every((reward) => Number(reward) < 0.1), LATE).toBe(true);
    await page.locator('#sort').selectOption('best');
    await becomesTrue(page, 'location.hash.includes("sort=best")');
    await page.context().close();
  });

  test('opens a rollout by its address, and from its point', async () => {
    const page = await open(single, '#line=7');
    await page.waitForSelector('.entries');
    const line = JSON.parse(readFileSync(join(work, 'after.jsonl'), 'utf8').split('\n')[6] as string);
    const shown = line.mask_sample ? 'masked' : line.reward.toFixed(3);
    expect(await page.locator('#rollout p.reward').textContent()).toBe(shown);
    expect(await page.locator('#rollout h1').textContent()).toBe(`eval ${line.index} · ${line.task_id}`);
    await page.getByRole('link', { name: 'All rollouts' }).click();
    await page.waitForSelector('#overview');
    const over = page.locator('[data-chart=tasks] .u-over');
    const box = await over.boundingBox();
    await over.hover({ position: { x: (0.5 * (box?.width ?? 0)) / TASKS + 3, y: (box?.height ?? 0) - 12 } });
    await page.locator('.tip').waitFor({ state: 'visible' });
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForSelector('.entries');
    expect(await hashOf(page)).toMatch(/^#line=\d+$/);
    await page.context().close();
  });

  test('shows hostile text as text, and cuts a long one with the number of characters', async () => {
    const page = await open(single, `#line=${COUNT}`);
    await page.waitForSelector('.entries');
    expect(await page.title()).not.toBe('owned');
    expect(await page.locator('#rollout h1').textContent()).toContain('</script><img');
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('body').textContent()).not.toContain('\u202e');
    expect(await page.locator('.entry.call .json').textContent()).toBe('n\\u202e');
    const cut = 10_000_000 + EVIL.length - 20_000;
    expect(await page.locator('.cut').textContent()).toBe(`${cut.toLocaleString('en')} characters left out`);
    await page.getByRole('button', { name: /^Show all/ }).click();
    expect(await page.locator('.folded').count()).toBe(0);
    await page.context().close();
  });

  test('sets two files side by side', async () => {
    const page = await open(pair, '#sort=drop');
    expect(await page.locator('.comparison thead th').allTextContents()).toEqual([
      'before.jsonl',
      'after.jsonl',
      'Change',
    ]);
    expect(await page.locator('.comparison tbody tr').first().textContent()).toMatch(/80 tasks in common/);
    await page.goto(`${pair}#file=2&line=5`);
    await page.waitForSelector('.entries');
    expect(await page.locator('#rollout header .about').textContent()).toContain('line 5 of after.jsonl');
    expect(await page.locator('.fact', { hasText: 'Same task' }).locator('a, b').count()).toBe(2 * REPEATS);
    await page.context().close();
  });

  test.each([
    ['wide, light', WIDE, false],
    ['wide, dark', WIDE, true],
    ['390 pixels, dark', PHONE, true],
  ])('has no accessibility problem and no sideways scrolling: %s', async (_, viewport, dark) => {
    for (const [url, hash] of [
      [single, ''],
      [single, '#line=7'],
      [single, `#line=${COUNT}`],
      [pair, ''],
      [server, ''],
    ] as const) {
      const page = await open(url, hash, { viewport, dark });
      if (hash) await page.waitForSelector('.entries');
      const sideways = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(sideways, `${url}${hash}`).toBeLessThanOrEqual(0);
      const client = await page.context().newCDPSession(page); // the page's policy allows no other script
      const evaluate = async (expression: string) => {
        const { result } = await client.send('Runtime.evaluate', {
          expression,
          awaitPromise: true,
          returnByValue: true,
        });
        return result.value;
      };
      await evaluate(readFileSync(AXE, 'utf8'));
      const found = await evaluate(VIOLATIONS);
      expect(found, `${url}${hash}`).toEqual([]);
      await page.context().close();
    }
  });
});
