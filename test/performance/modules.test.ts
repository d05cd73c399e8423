import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { StandIn } from '../support/stand-in.js';

const cli = builtCli();

/** Says on standard error which modules the ES loader loads; a CommonJS package shows by its entry. */
const HOOK = `
import { register } from 'node:module';
const hooks = 'import { writeSync } from "node:fs";' +
  'export const load = (url, context, next) => { writeSync(2, "loads " + url + "\\\\n"); return next(url, context); };';
register('data:text/javascript,' + encodeURIComponent(hooks));
`;

/** The packages that a command loads, and how many modules of its own. */
async function loaded(...args: string[]): Promise<{ packages: string[]; own: number }> {
  const hook = join(tempFolder(), 'hook.mjs');
  writeFileSync(hook, HOOK);
  const { stderr, exitCode } = await cli(args, { env: { NODE_OPTIONS: `--import ${hook}` } });
  expect(exitCode, stderr).toBe(0);
  const urls = [...stderr.matchAll(/^loads file:(.*)$/gm)].map(([, url]) => url as string);
  const packages = urls.map((url) => /.*\/node_modules\/([^/]+)/.exec(url)?.[1]);
  return {
    packages: [...new Set(packages.filter((name) => name !== undefined))].sort(),
    own: urls.filter((url) => url.includes('/dist/')).length,
  };
}

test.each(['--version', '--help'])('gymgen %s loads what reads a command line, and nothing more', async (flag) => {
  expect(await loaded(flag)).toEqual({ packages: ['commander'], own: expect.toSatisfy((own: number) => own <= 8) });
});

test('a run on a URL loads no subprocesses, no CSV and no diffs', async () => {
  const server = await StandIn.start();
  const { packages } = await loaded(server.url, join(tempFolder(), 'root'));
  expect(packages).toEqual(['chalk', 'commander', 'handlebars', 'lossless-json', 'smol-toml', 'ws', 'yaml', 'zod']);
});
