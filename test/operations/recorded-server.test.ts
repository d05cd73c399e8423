import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServerConfig } from '../../src/model.js';
import { recordedServer } from '../../src/operations/recorded-server.js';
import { FRAMEWORK_VERSION } from '../../src/source/index.js';
import { failureOf } from '../support/failure-of.js';

let work: string;
let recording: string;
let shown: string[];
beforeEach(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), 'gymgen-recorded-')));
  for (const folder of ['repo/.git', 'repo/recordings', 'repo/bundles/shop', 'repo-evil/bundle', 'elsewhere']) {
    mkdirSync(join(work, folder), { recursive: true });
  }
  recording = join(work, 'repo/recordings/shop.jsonl');
  writeFileSync(recording, '');
  symlinkSync(join(work, 'elsewhere'), join(work, 'repo/bundles/link'));
  shown = [];
});
afterEach(() => rmSync(work, { recursive: true }));

const reporter = { note: (text: string) => shown.push(text), warn: () => {}, progress: () => {} };
const bundle = (name: string, framework = FRAMEWORK_VERSION): ServerConfig => ({ bundle: name, framework });

function config(server: ServerConfig, trustRecording = false, file = recording) {
  return recordedServer(file, server, join(work, 'repo/gym/configs'), { trustRecording }, reporter);
}

describe('the choices of a recording are shown with their origin', () => {
  test('a URL, without possible credentials', async () => {
    expect(await config({ url: 'http://h:8000' })).toEqual({ url: 'http://h:8000' });
    await config({ url: 'http://me:secret@h:8000/base?token=secret' });
    expect(shown).toEqual(['url http://h:8000 (from the recording)', 'url http://h:8000/base (from the recording)']);
  });

  test('a bundle, with the version of AgentEnv and the sandbox provider', async () => {
    expect(await config({ ...bundle('../bundles/shop'), sandbox: 'docker' })).toEqual({
      bundle: '../../bundles/shop',
      framework: FRAMEWORK_VERSION,
      sandbox: 'docker',
    });
    expect(await config(bundle('hello'))).toEqual(bundle('hello'));
    expect(await config(bundle('owner/_hello'))).toEqual(bundle('owner/_hello')); // as on the command line
    expect(shown).toEqual([
      `bundle ${work}/repo/bundles/shop, AgentEnv ${FRAMEWORK_VERSION}, sandbox docker (from the recording)`,
      `installed bundle hello, AgentEnv ${FRAMEWORK_VERSION} (from the recording)`,
      `installed bundle owner/_hello, AgentEnv ${FRAMEWORK_VERSION} (from the recording)`,
    ]);
  });

  test('even if the bundle is refused', async () => {
    const notes: string[] = [];
    const reporter = { note: (text: string) => notes.push(text), warn: () => {}, progress: () => {} };
    await expect(recordedServer(recording, bundle('/evil'), work, {}, reporter)).rejects.toThrow();
    expect(notes).toEqual([`bundle /evil, AgentEnv ${FRAMEWORK_VERSION} (from the recording)`]);
  });
});

describe('a bundle outside the repository of the recording needs the flag', () => {
  test.each([
    ['an absolute path', () => join(work, 'elsewhere')],
    ['a relative path', () => '../../elsewhere'],
    ['a repository whose name has the same prefix', () => '../../repo-evil/bundle'],
    ['a symlink to another folder', () => '../bundles/link'],
    ["the user's home folder", () => '~/bundle'],
    ["another user's home folder", () => '~root/bundle'],
    ['a folder that does not exist', () => '/no/such/bundle'],
  ])('%s', async (_, name) => {
    const failure = await failureOf(config(bundle(name())));
    expect(failure).toContain('is not in the git repository of the recording');
    expect(failure).toContain('--trust-recording');
    expect(failure).toContain(recording);
    await config(bundle(name()), true);
  });

  test('but not one inside of it, however it is named', async () => {
    expect(await config(bundle(join(work, 'repo/bundles/shop')))).toEqual(bundle(join(work, 'repo/bundles/shop')));
    expect(await config(bundle('./../bundles/shop'))).toEqual(bundle('../../bundles/shop'));
  });

  test('any folder, if the recording is not in a repository', async () => {
    const loose = join(work, 'elsewhere/shop.jsonl');
    writeFileSync(loose, '');
    expect(await failureOf(config(bundle('./bundle'), false, loose))).toContain('not in the git repository');
  });

  test('a bundle next to a symlink to the recording: the real path of the recording counts', async () => {
    const loose = join(work, 'elsewhere/shop.jsonl');
    writeFileSync(loose, '');
    const link = join(work, 'repo/recordings/link.jsonl');
    symlinkSync(loose, link);
    expect(await failureOf(config(bundle('../bundles/shop'), false, link))).toContain('not in the git repository');
  });
});

test.each(['0.9.1', '99', `${FRAMEWORK_VERSION}+evil`, `${FRAMEWORK_VERSION}.1`])(
  'another version of AgentEnv needs the flag: %s',
  async (version) => {
    const failure = await failureOf(config(bundle('../bundles/shop', version)));
    expect(failure).toContain(`the recording is from AgentEnv ${version}`);
    expect(failure).toContain('--trust-recording');
    expect(await config(bundle('../bundles/shop', version), true)).toMatchObject({ framework: version });
  },
);

test.each([
  ['framework', bundle('hello', '1.0", "evil')],
  ['framework', bundle('hello', '1.*')],
  ['framework', bundle('hello', '1.0 @ https://evil.example/x.whl')],
  ['framework', bundle('hello', '')],
  ['bundle', bundle('hello\n::error::x')],
  ['bundle', bundle('a/../../evil')],
  ['bundle', bundle('hello world')],
  ['bundle', bundle('/srv/\u202eevil')],
  ['sandbox', { ...bundle('hello'), sandbox: 'a\nb' }],
])('an invalid %s is refused even with the flag', async (field, server) => {
  const failure = await failureOf(config(server, true));
  expect(failure).toContain(`${field}: not a`);
  expect(failure).not.toMatch(/evil|::error/);
  expect(shown).toEqual([]);
});

test('an invalid URL is refused', async () => {
  expect(await failureOf(config({ url: 'file:///etc/passwd' }))).toContain('not a URL of an OpenEnv server');
});
