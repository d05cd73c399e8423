import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { StandIn } from '../support/stand-in.js';

const cli = builtCli();

/** The npm packages that a command loads, by the bundler's comments in dist/, and the size of the loaded files. */
async function loaded(...args: string[]): Promise<{ packages: string[]; bytes: number }> {
  const folder = tempFolder();
  const { stderr, exitCode } = await cli(args, { env: { NODE_V8_COVERAGE: folder } });
  expect(exitCode, stderr).toBe(0);
  const reports = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  const urls = reports.flatMap(({ result }: { result: { url: string }[] }) => result.map(({ url }) => url));
  const files = urls.filter((url) => url.startsWith('file:'));
  const texts = files.map((url) => readFileSync(new URL(url), 'utf8'));
  const packages = texts.flatMap((text) => [...text.matchAll(/^\/\/ node_modules\/([^/\n]+)/gm)]);
  return {
    packages: [...new Set(packages.map(([, name]) => name as string))].sort(),
    bytes: texts.reduce((sum, text) => sum + text.length, 0),
  };
}

test.each(['--version', '--help'])('gymgen %s loads what reads a command line, and nothing more', async (flag) => {
  expect(await loaded(flag)).toEqual({
    packages: ['commander'],
    bytes: expect.toSatisfy((bytes: number) => bytes <= 160_000),
  });
});

test('a run on a URL loads no subprocesses, no CSV, no diffs and no compilers', async () => {
  const server = await StandIn.start();
  const { packages } = await loaded(server.url, join(tempFolder(), 'root'));
  const display = ['chalk', 'commander', 'fast-string-truncated-width'];
  expect(packages).toEqual([...display, 'handlebars', 'lossless-json', 'smol-toml', 'ws', 'zod']);
});
