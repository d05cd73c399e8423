// A private Hugging Face Space answers 404 without the header, and redirects to its own pages with it.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { requestOf } from '../../src/operations/request.js';
import { write } from '../../src/operations/write.js';
import { failureOf } from '../support/failure-of.js';
import { StandIn } from '../support/stand-in.js';

const SECRET = 'hf_0123456789';
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gymgen-space-'));
  vi.stubEnv('HF_TOKEN', SECRET);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

const reporter = { warn: () => {}, progress: () => {} };

function space(): Promise<StandIn> {
  return StandIn.start({
    http: ({ path, headers }) => {
      if (headers.authorization !== `Bearer ${SECRET}`)
        return { status: 404, body: 'Sorry, we can not find the page.' };
      if (path === '/list_environments') return { status: 307, headers: { Location: '/moved' } };
      return path === '/moved' ? { body: ['grid-v1'] } : undefined;
    },
  });
}

test('a private Space is probed with --header-env, whose variable is not expanded in the config', async () => {
  const standIn = await space();
  const headerEnv = ['Authorization=Bearer $HF_TOKEN'];
  await write(requestOf(standIn.url, root, { headerEnv }), reporter, new AbortController().signal);
  expect(standIn.handshakes.length).toBeGreaterThan(0);
  for (const { authorization } of standIn.handshakes) expect(authorization).toBe(`Bearer ${SECRET}`);
  expect(standIn.asked.map(({ path }) => path)).toContain('/moved');
  const files = (readdirSync(root, { recursive: true }) as string[]).filter((file) =>
    statSync(join(root, file)).isFile(),
  );
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8'));
  expect(texts.some((text) => text.includes('"Authorization": "Bearer $HF_TOKEN"'))).toBe(true);
  expect(texts.filter((text) => text.includes(SECRET))).toEqual([]);
});

test('a private Space without the header is an error with the HTTP status', async () => {
  const standIn = await space();
  const failure = await failureOf(write(requestOf(standIn.url, root, {}), reporter, new AbortController().signal));
  expect(failure).toMatch(/404/);
  expect(readdirSync(root)).toEqual([]);
});
