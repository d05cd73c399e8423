// A password in a source or a URL is never shown, whichever command gets it and however the command fails.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/built-cli.js';
import { gymgenHere } from '../support/cli-here.js';
import { StandIn } from '../support/stand-in.js';

const SECRET = 'hunter2';
const DEAD = `http://u:${SECRET}@127.0.0.1:9`;

/** Sources with the password: of a running server, and of a missing one. */
async function sources(): Promise<string[]> {
  const server = await StandIn.start({ mayLeak: true });
  return [
    `http://u:${SECRET}@${server.host}`,
    `ws://u:a:${SECRET}@${server.host}/ws`,
    `http://${SECRET}@${server.host}/?x=1`,
    `http://u:a%20${SECRET}@127.0.0.1:9/base?token=${SECRET}`,
    `http://u:a ${SECRET}@127.0.0.1:9`,
    `http://u:a/${SECRET}@127.0.0.1:9`,
    `ftp://u:${SECRET}@127.0.0.1`,
    `u:${SECRET}@${server.host}`,
    `//u:${SECRET}@x`,
    `http:u:${SECRET}@127.0.0.1:9`,
    `u:${SECRET}@127.0.0.1:9/x.jsonl`,
  ];
}

const COMMANDS: [string, (source: string) => string[]][] = [
  ['write', (source) => [source, 'out']],
  ['write, in the wrong order', (source) => ['out', source]],
  ['write with an option of bundles', (source) => [source, 'out', '--reward', 'r']],
  ['inspect', (source) => ['inspect', source]],
  ['record', (source) => ['record', source, 'r.jsonl']],
  ['check', (source) => ['check', source, 'out']],
  ['check --source', (source) => ['check', 'out', '--source', source]],
  ['update --source', (source) => ['update', 'out', '--source', source]],
  ['batch', (source) => ['batch', '--source', source, '--root', 'out', '--retries', '0']],
  ['batch, twice', (source) => ['batch', '--source', source, '--source', source, '--root', 'out', '--retries', '0']],
  ['batch, of a bad option', (source) => ['batch', '--source', source, '--root', 'out', '--limit', 'x']],
  ['--config-url', (source) => ['inspect', DEAD, '--config-url', source]],
];

test.each(COMMANDS)('%s', async (_, args) => {
  const cwd = tempFolder();
  for (const source of await sources()) {
    for (const flag of ['--verbose', '--json']) {
      const { stdout, stderr } = await gymgenHere([...args(source), flag], { cwd });
      expect(`${stdout}${stderr}`, source).not.toContain(SECRET);
      expect(`${stdout}${stderr}`).not.toBe('');
    }
  }
});

test('a batch file', async () => {
  const cwd = tempFolder();
  for (const source of await sources()) {
    for (const entry of [source, { source, limit: 'x' }, { source, 'config-url': source, name: 'n' }]) {
      writeFileSync(join(cwd, 'b.yaml'), JSON.stringify({ sources: [entry] }));
      for (const flag of ['--verbose', '--json']) {
        const args = ['batch', 'b.yaml', '--root', 'out', '--retries', '0', flag];
        const { stdout, stderr } = await gymgenHere(args, { cwd });
        expect(`${stdout}${stderr}`, source).not.toContain(SECRET);
      }
    }
  }
});

test('a refused --config-url, and a redirect', async () => {
  const cwd = tempFolder();
  const here = await StandIn.start({ mayLeak: true });
  const away = await StandIn.start({
    mayLeak: true,
    http: () => ({ status: 302, headers: { Location: `http://u:${SECRET}@other.example/x` } }),
  });
  for (const args of [
    [here.url, 'out', '--config-url', `http://u:${SECRET.padStart(80, 'x')}@h`],
    [away.url, 'out'],
    ['inspect', away.url],
  ]) {
    for (const flag of ['--verbose', '--json']) {
      const { stdout, stderr, exitCode } = await gymgenHere([...args, flag], { cwd });
      expect(`${stdout}${stderr}`).not.toContain(SECRET);
      expect(exitCode).toBe(2);
    }
  }
});
