import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { StandIn } from '../support/stand-in.js';

const cli = builtCli();

/** Says on standard error which files were loaded: by Node, and by gymgen, which keeps what V8 made of them. */
const HOOK = `
const { writeSync } = require('node:fs');
const vm = require('node:vm');
const loaded = [];
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    loaded.push(options.filename);
  }
};
const all = () => [...Object.keys(require.cache), ...loaded];
process.on('exit', () => writeSync(2, all().map((path) => 'loaded ' + path + '\\n').join('')));
`;

/** The packages of npm that a command loads, by what the build says of the files in dist/, and how many bytes of files. */
async function loaded(...args: string[]): Promise<{ packages: string[]; bytes: number }> {
  const hook = join(tempFolder(), 'hook.cjs');
  writeFileSync(hook, HOOK);
  const { stderr, exitCode } = await cli(args, { env: { NODE_OPTIONS: `--require ${hook}` } });
  expect(exitCode, stderr).toBe(0);
  const files = [...stderr.matchAll(/^loaded (.*)$/gm)].map(([, path]) => path as string);
  const texts = files.filter((path) => path !== hook).map((path) => readFileSync(path, 'utf8'));
  const packages = texts.flatMap((text) => [...text.matchAll(/^\/\/ node_modules\/([^/\n]+)/gm)]);
  return {
    packages: [...new Set(packages.map(([, name]) => name as string))].sort(),
    bytes: texts.reduce((sum, text) => sum + text.length, 0),
  };
}

test.each(['--version', '--help'])('gymgen %s loads what reads a command line, and nothing more', async (flag) => {
  expect(await loaded(flag)).toEqual({
    packages: ['commander'],
    bytes: expect.toSatisfy((bytes: number) => bytes <= 125_000),
  });
});

test('a run on a URL loads no subprocesses, no CSV, no diffs and no compilers', async () => {
  const server = await StandIn.start();
  const { packages } = await loaded(server.url, join(tempFolder(), 'root'));
  expect(packages).toEqual(['chalk', 'commander', 'handlebars', 'lossless-json', 'smol-toml', 'ws', 'zod']);
});
