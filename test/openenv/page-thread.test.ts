import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { JsonString, parseScanned } from '../../src/json/json-string.js';
import { HttpClient, type HttpOptions } from '../../src/openenv/http.js';
import { parseServerUrl } from '../../src/openenv/index.js';
import { PageThread } from '../../src/openenv/page-thread.js';
import { type Answer, type Asked, StandIn } from '../support/stand-in.js';

const PROMPT = '"Preis": 1 €\n'.repeat(200);
const PAGE = {
  tasks: [
    { id: 'day-0', prompt: PROMPT },
    { id: 'day-1', prompt: PROMPT },
  ],
};
const PATH = '/grid-v1/task_range';

/** A thread that is up, and the client and server that it asks. */
async function threadOf(answer: (asked: Asked) => Answer, options: Partial<HttpOptions> = {}) {
  const standIn = await StandIn.start({ http: answer });
  const signal = new AbortController().signal;
  const client = new HttpClient(parseServerUrl(standIn.url), { headers: {}, signal, ...options });
  const thread = new PageThread(client);
  onTestFinished(async () => {
    await thread.close();
    client.close();
  });
  await vi.waitFor(async () => expect(await thread.ask('/up', {})).toBeDefined(), { timeout: 5000, interval: 10 });
  return { standIn, client, thread };
}

test('a page is read in the thread as it would be here', async () => {
  const { standIn, thread } = await threadOf(() => ({ body: PAGE }), { headers: { Authorization: 'Bearer one' } });
  const body = { split: 'train', start: 0, stop: 2 };
  const page = await thread.ask(PATH, body);
  const { tasks } = parseScanned(page?.scanned as never) as { tasks: { id: string; prompt: JsonString }[] };
  expect(tasks.map(({ id }) => id)).toEqual(['day-0', 'day-1']);
  for (const { prompt } of tasks) {
    expect(prompt).toBeInstanceOf(JsonString);
    expect(`${prompt}`).toBe(PROMPT);
  }
  expect(page?.answer.read()).toEqual(PAGE);
  expect(standIn.asked.at(-1)).toMatchObject({
    method: 'POST',
    path: PATH,
    body,
    headers: { authorization: 'Bearer one' },
  });
});

test('pages are asked for at once, and each is answered by its own', async () => {
  const answered: (() => void)[] = [];
  const { thread } = await threadOf(({ path, body }) =>
    path === '/up' ? { body: {} } : (response) => answered.push(() => response.end(JSON.stringify(body))),
  );
  const asked = [1, 2].map((n) => thread.ask(PATH, { n }));
  await vi.waitFor(() => expect(answered).toHaveLength(2));
  for (const answer of answered.reverse()) answer();
  const pages = await Promise.all(asked);
  expect(pages.map((page) => page?.answer.read())).toEqual([{ n: 1 }, { n: 2 }]);
});

test('its requests and bytes are those of the client', async () => {
  const { standIn, client, thread } = await threadOf(() => ({ body: 'true' }));
  await thread.ask(PATH, {});
  expect(client.requests).toBe(standIn.asked.length);
  expect(client.bytes).toBe(4 * standIn.asked.length);
});

describe('what goes wrong is left to who asked:', () => {
  const unlessUp = (answer: Answer) => (asked: Asked) => (asked.path === '/up' ? { body: {} } : answer);

  test.each<[string, Answer]>([
    ['an error of the server', { status: 500, body: { detail: 'no' } }],
    ['bytes that are not UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }],
    ['a connection that ends', (response) => response.destroy()],
  ])('%s', async (_, answer) => {
    const { thread } = await threadOf(unlessUp(answer));
    expect(await thread.ask(PATH, {})).toBeUndefined();
  });

  test('the end of the run', async () => {
    const stop = new AbortController();
    const { standIn, thread } = await threadOf(
      unlessUp(() => {}),
      { signal: stop.signal },
    );
    const page = thread.ask(PATH, {});
    await vi.waitFor(() => expect(standIn.asked.at(-1)?.path).toBe(PATH));
    stop.abort(new Error('stopped'));
    expect(await page).toBeUndefined();
    expect(await thread.ask(PATH, {})).toBeUndefined();
    await standIn.idle();
  });
});
