import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PackageRequest } from '../../src/operations/package-request.js';
import { failureOf } from '../support/failure-of.js';
import { filesIn, gymRoot, packaged, serverOf } from './support.js';

type Case = readonly [what: string, more: Partial<PackageRequest>, edit: (root: string) => void, told: RegExp];

const keep = () => {};
const configOf = (root: string, name = 'gridsim_v1') => join(serverOf(root, name), `configs/${name}.yaml`);
const replace = (file: string, from: string | RegExp, to: string) =>
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));

const CASES: readonly Case[] = [
  [
    'a split that is not there',
    { train: 'trian' },
    keep,
    /no split "trian"[\s\S]*choose one of .*train.*--train SPLIT/,
  ],
  ['a validation split that is not there', { validation: 'x' }, keep, /no split "x"[\s\S]*--validation SPLIT/],
  ['a name that nothing has', { names: ['shop'] }, keep, /no folder "shop" in this Gym root[\s\S]*choose one of/],
  [
    'a folder that gymgen did not write',
    { names: ['gridsim_v1'] },
    (root) => rmSync(join(serverOf(root), 'gymgen.lock.json')),
    /gymgen wrote no folder "gridsim_v1" in this Gym root/,
  ],
  ['several folders and no name', { names: [] }, keep, /several folders; choose one[\s\S]*add its name/],
  ['a loopback URL', { urlIsReachable: false }, keep, /is a loopback address[\s\S]*--url-is-reachable/],
  [
    'a private URL',
    { urlIsReachable: false },
    (root) => replace(configOf(root), /url: .*/, 'url: "http://10.0.0.7:8000"'),
    /is on a private network[\s\S]*NHX_RL_SANDBOX_PUBLIC_DNS_ALLOW[\s\S]*--url-is-reachable/,
  ],
  ['headers in a GRPO job', { names: ['everything'] }, keep, /cannot set variables for headers[\s\S]*--target evals/],
  [
    'an adapter for evaluations',
    { target: 'evals', format: 'adapter-wheels-v1' },
    keep,
    /an evaluation cannot run adapter-wheels-v1/,
  ],
  [
    'several servers in an evaluation',
    { target: 'evals', names: ['gridsim_v1', 'everything'] },
    keep,
    /can play only one server/,
  ],
  [
    'a name that is no file set',
    { fileset: 'My_Set' },
    keep,
    /not a name that NeMo Platform accepts: "My_Set"[\s\S]*2 to 63/,
  ],
  ['a workspace that is no name', { workspace: '../x' }, keep, /not a name that NeMo Platform accepts/],
  ['options of wheels', { pin: ['ray==2.60.0'] }, keep, /--pin is for packages with wheels/],
  ['a file to carry that is not there', { carry: ['nope.py'] }, keep, /no such file to carry: nope.py/],
  [
    'rows that are none',
    {},
    (root) => writeFileSync(join(serverOf(root), 'data/train.jsonl'), ''),
    /training.jsonl would have no rows[\s\S]*--train SPLIT/,
  ],
  [
    'a blank line in the rows',
    {},
    (root) => replace(join(serverOf(root), 'data/train.jsonl'), '\n', '\n\n'),
    /blank line[\s\S]*train.jsonl:2/,
  ],
  [
    'a needed file that is missing',
    {},
    (root) => rmSync(join(serverOf(root), 'app.py')),
    /file is missing: app.py[\s\S]*write the folder again/,
  ],
  [
    'a config that is no YAML',
    {},
    (root) => writeFileSync(configOf(root), 'a: [\n'),
    /invalid YAML[\s\S]*correct the file/,
  ],
  [
    'a config without the server',
    {},
    (root) => writeFileSync(configOf(root), 'other: {}\n'),
    /config has no resources server gridsim_v1/,
  ],
  [
    'a config that is a link',
    {},
    (root) => {
      rmSync(configOf(root));
      symlinkSync('/etc/hostname', configOf(root));
    },
    /not a regular file/,
  ],
  [
    'a bundle that is not there',
    {},
    (root) => replace(configOf(root), /url: .*/, 'bundle: "./nope"'),
    /the bundle's folder does not exist/,
  ],
  [
    'a bundle with rows',
    {},
    (root) => {
      mkdirSync(join(root, 'shop'));
      writeFileSync(join(root, 'shop/tasks.jsonl'), '{}\n');
      replace(configOf(root), /url: .*/, `bundle: ${JSON.stringify(join(root, 'shop'))}`);
    },
    /\.jsonl files[\s\S]*--format wheels-v1/,
  ],
  [
    'a requirement of another folder',
    {},
    (root) =>
      replace(
        join(serverOf(root), 'pyproject.toml'),
        /dependencies = .*/,
        'dependencies = ["nemo-gym[dev]", "common"]\n[tool.uv.sources.common]\npath = "../common"\n[project.x]',
      ),
    /cannot express \[tool\.uv\.sources\]/,
  ],
  [
    'a config that NeMo Gym would reject',
    {},
    (root) => replace(configOf(root), 'domain: agent', 'domain: sports'),
    /a job would reject the package[\s\S]*domain-unknown/,
  ],
];

describe('is refused, with nothing written', () => {
  test.each(CASES)('%s', async (_, more, edit, told) => {
    const root = gymRoot();
    edit(root);
    expect(await failureOf(packaged(root, more))).toMatch(told);
    expect(() => filesIn(join(root, '../out'))).toThrow('ENOENT');
  });
});

describe('a target folder that cannot be replaced', () => {
  test.each<[what: string, edit: (out: string) => void, told: RegExp]>([
    [
      'with other files',
      (out) => writeFileSync(join(out, 'notes.txt'), ''),
      /files that gymgen did not write[\s\S]*notes.txt/,
    ],
    ['without its record', (out) => rmSync(join(out, 'gymgen.package.json')), /was not written by gymgen/],
    [
      'with a damaged record',
      (out) => writeFileSync(join(out, 'gymgen.package.json'), '{"format":9}'),
      /record .* is damaged/,
    ],
    [
      'with an edited file',
      (out) => writeFileSync(join(out, 'job.json'), '{}'),
      /1 file was edited by hand[\s\S]*--force/,
    ],
    ['with a link in it', (out) => symlinkSync('job.json', join(out, 'link')), /did not write[\s\S]*link/],
  ])('%s', async (_, edit, told) => {
    const root = gymRoot();
    await packaged(root);
    const out = join(root, '../out');
    edit(out);
    const before = filesIn(out);
    writeFileSync(join(serverOf(root), 'app.py'), '# other\n');
    expect(await failureOf(packaged(root))).toMatch(told);
    expect(filesIn(out)).toEqual(before);
  });

  test('that is a link, or a file', async () => {
    const root = gymRoot();
    mkdirSync(join(root, '../there'));
    symlinkSync(join(root, '../there'), join(root, '../link'));
    writeFileSync(join(root, '../file'), '');
    expect(await failureOf(packaged(root, { folder: join(root, '../link') }))).toMatch(/is a symlink/);
    expect(await failureOf(packaged(root, { folder: join(root, '../file') }))).toMatch(/is not a folder/);
  });

  test('below a folder that cannot be written', async (context) => {
    context.skip(process.getuid?.() === 0, 'root may write everywhere');
    const root = gymRoot();
    mkdirSync(join(root, '../locked'), { mode: 0o555 });
    expect(await failureOf(packaged(root, { folder: join(root, '../locked/out') }))).toMatch(/permission denied/);
    chmodSync(join(root, '../locked'), 0o755);
  });

  test('--force replaces edited files', async () => {
    const root = gymRoot();
    await packaged(root);
    const out = join(root, '../out');
    const before = filesIn(out);
    writeFileSync(join(out, 'job.json'), '{}');
    await packaged(root, { force: true });
    expect(filesIn(out)).toEqual(before);
  });
});
