import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asStarted, gymgenCommand, invocation, shellQuote } from '../src/printed-command.js';
import { tempFolder } from './support/built-cli.js';

/** A checkout, a project with gymgen as a dependency, and npm's cache with a symlink to the checkout and a download. */
function machine() {
  const home = tempFolder();
  const folder = (...parts: string[]) => {
    const path = join(home, ...parts);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const program = join(folder('checkout/bin'), 'gymgen.cjs');
  const installed = join(folder('project/node_modules/gymgen/bin'), 'gymgen.cjs');
  const downloaded = join(folder('cache/_npx/2/node_modules/gymgen/bin'), 'gymgen.cjs');
  for (const file of [program, installed, downloaded]) writeFileSync(file, '');
  const link = (bin: string, target: string) => {
    const path = join(folder(bin), 'gymgen');
    symlinkSync(target, path);
    chmodSync(target, 0o755);
    return path;
  };
  return {
    home,
    program,
    project: folder('project/sub/deeper'),
    local: link('project/node_modules/.bin', installed),
    linked: link('cache/_npx/1/node_modules/.bin', program),
    fetched: link('cache/_npx/2/node_modules/.bin', downloaded),
    global: link('usr/bin', program),
  };
}

describe('a printed command repeats how gymgen was started', () => {
  type Machine = ReturnType<typeof machine>;
  interface Case {
    script: string;
    cwd: string;
    env?: NodeJS.ProcessEnv;
    expected: string;
  }
  const npx = { npm_command: 'exec' };
  const path = (...files: string[]) => ({ PATH: files.map((file) => dirname(file)).join(':') });
  const LOCAL = 'npx --no-install gymgen';

  test.each<[string, (at: Machine) => Case]>([
    ['npx --no-install', ({ local: script, project: cwd }) => ({ script, cwd, env: npx, expected: LOCAL })],
    [
      'an npm script',
      ({ local: script, project: cwd }) => ({
        script,
        cwd,
        env: { npm_command: 'run', ...path(script) },
        expected: LOCAL,
      }),
    ],
    ['the path of npm’s bin folder', ({ local: script, project: cwd }) => ({ script, cwd, expected: LOCAL })],
    ['PATH', ({ global: script, project: cwd }) => ({ script, cwd, env: path(script), expected: 'gymgen' })],
    [
      'PATH that starts with npm’s bin folder',
      ({ local: script, global, project: cwd }) => ({ script, cwd, env: path(script, global), expected: 'gymgen' }),
    ],
    ['npx .', ({ linked: script, home }) => ({ script, cwd: join(home, 'checkout'), env: npx, expected: 'npx .' })],
    [
      'npx FOLDER',
      ({ linked: script, home }) => ({ script, cwd: join(home, 'usr'), env: npx, expected: 'npx ../checkout' }),
    ],
    [
      'npx FOLDER from a parent folder',
      ({ linked: script, home: cwd }) => ({ script, cwd, env: npx, expected: 'npx ./checkout' }),
    ],
    [
      'npx with a downloaded package',
      ({ fetched: script, home: cwd }) => ({
        script,
        cwd,
        env: npx,
        expected: 'cache/_npx/2/node_modules/.bin/gymgen',
      }),
    ],
    [
      'node in the root of the checkout',
      ({ program: script, home }) => ({ script, cwd: join(home, 'checkout'), expected: 'npx .' }),
    ],
    [
      'node in a folder of the checkout',
      ({ program: script, home }) => ({ script, cwd: join(home, 'checkout/bin'), expected: 'node gymgen.cjs' }),
    ],
    ['node in another folder', ({ program: script, project: cwd }) => ({ script, cwd, expected: `node ${script}` })],
    ['a program that uses the library', () => ({ script: '/srv/my-program.js', cwd: '/srv', expected: 'gymgen' })],
  ])('%s', (_, make) => {
    const { script, cwd, env = {}, expected } = make(machine());
    const started = invocation({ argv: ['node', script], cwd, env });
    expect(started).toBe(expected);
    expect(started).not.toMatch(/npx gymgen/);
  });
});

test('arguments of a printed command are quoted for a shell', () => {
  expect(gymgenCommand`check ${'http://h/?a=1&b'} ${"it's here"} --port ${80}`).toBe(
    `gymgen check 'http://h/?a=1&b' 'it'\\''s here' --port 80`,
  );
});

test.each(['', 'a', "a'b", '$(touch x) `y` $Z ! * ~', '-a', "a\nb\\'c", 'a\u202eb\u{e0041}', '##[error]'])(
  'bash reads %j back from one line of visible characters',
  (text) => {
    const quoted = shellQuote(text);
    expect(quoted).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    expect(execFileSync('bash', ['-c', `printf %s ${quoted}`], { env }).toString()).toBe(text);
  },
);

test('examples use the command that started gymgen', () => {
  expect(asStarted('  $ gymgen x    what gymgen x does\n  $ ls | gymgen batch -')).toBe(
    `  $ ${invocation()} x    what gymgen x does\n  $ ls | ${invocation()} batch -`,
  );
});
