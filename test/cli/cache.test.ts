import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { StandIn } from '../support/stand-in.js';

test('a write from a URL neither reads nor creates a cache: nothing in one can run', async () => {
  const server = await StandIn.start();
  const [cache, work] = [join(tempFolder(), 'cache'), tempFolder()];
  const { exitCode } = await builtCli()([server.url, join(work, 'root')], { env: { XDG_CACHE_HOME: cache } });
  expect(exitCode).toBe(0);
  expect(existsSync(cache)).toBe(false);
});
