import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Drift, Place } from './drift.js';
import { reindented } from './reindented.js';

interface LockJson {
  files: Record<string, string>;
  prompts: Record<string, string[]>;
  generator?: number;
}

const LOCK = 'gymgen.lock.json';
const CONFIG = 'configs/grid_v1.yaml';
const ROWS = 'data/train.jsonl';

const edit =
  (file: string, change: (text: string) => string) =>
  ({ folder }: Place) =>
    writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')));
const lines = (change: (lines: string[]) => string[]) =>
  edit(ROWS, (text) => `${change(text.trimEnd().split('\n')).join('\n')}\n`);
const setLock = (change: (lock: LockJson) => object) =>
  edit(LOCK, (text) => `${JSON.stringify(change(JSON.parse(text)), null, 2)}\n`);
const setting = (line: string) => edit(CONFIG, (text) => text.replace(/^( +)(url: .*)$/m, `$1$2\n$1${line}`));

/** Drift of the folder. */
export const FOLDER_DRIFTS: Drift[] = [
  { name: 'nothing', make: () => {}, exitCode: 0 },
  {
    name: 'an edited file',
    make: edit('app.py', (text) => `${text}import mine\n`),
    exitCode: 1,
    file: /^edited {2}app\.py$/m,
    reason: /-import mine/,
  },
  {
    name: 'a deleted file',
    make: ({ folder }) => rmSync(join(folder, 'app.py')),
    exitCode: 1,
    file: /^create {2}app\.py$/m,
  },
  {
    name: 'a file that became a symlink',
    make: ({ folder }) => {
      renameSync(join(folder, 'app.py'), join(folder, 'mine.py'));
      symlinkSync('mine.py', join(folder, 'app.py'));
    },
    exitCode: 1,
    file: /^edited {2}app\.py \(replaced by a symlink\)$/m,
  },
  {
    name: 'a conflict in a text',
    make: edit('README.md', (text) => `<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n${text}`),
    exitCode: 1,
    file: /^edited {2}README\.md \(unresolved merge conflict: take either side, then run gymgen update\)$/m,
  },
  {
    name: 'a conflict in rows',
    make: lines((rows) => ['<<<<<<< HEAD', ...rows]),
    exitCode: 1,
    file: /^edited {2}data\/train\.jsonl \(unresolved merge conflict/m,
    reason: /! <<<<<<< HEAD is not a row \(line 1\)/,
  },
  {
    name: 'an edited row',
    make: edit(ROWS, (text) => text.replace('Day 3.', 'Mine.')),
    exitCode: 1,
    file: /^edited {2}data\/train\.jsonl$/m,
    reason: /~ train\[3\] 'day-3' \(line 4\): prompt/,
  },
  {
    name: 'two rows that changed places',
    make: lines(([one = '', two = '', ...rows]) => [two, one, ...rows]),
    exitCode: 1,
    file: /^edited {2}data\/train\.jsonl$/m,
    reason: /! train\[1\] 'day-1' is out of order \(line 1\)\n +! train\[0\] 'day-0' is out of order \(line 2\)/,
  },
  {
    name: 'a row that comes twice',
    make: lines(([one = '', ...rows]) => [one, one, ...rows]),
    exitCode: 1,
    file: /^edited {2}data\/train\.jsonl$/m,
    reason: /! train\[0\] 'day-0' is repeated \(line 2\)/,
  },
  {
    name: 'a removed row',
    make: lines((rows) => rows.slice(1)),
    exitCode: 1,
    file: /^edited {2}data\/train\.jsonl$/m,
    reason: /\+ train\[0\] 'day-0' added \(line 1\)/,
  },
  {
    name: 'no line break at the end',
    make: ({ folder }) => truncateSync(join(folder, ROWS), readFileSync(join(folder, ROWS)).length - 1),
    exitCode: 1,
    file: /^edited {2}data\/train\.jsonl$/m,
    reason: /! the last line has no line break/,
  },
  {
    name: 'a blank line',
    make: lines((rows) => ['', ...rows]),
    exitCode: 1,
    file: /^edited {2}data\/train\.jsonl$/m,
    reason: /! line 1 is blank/,
  },
  { name: 'rows with CRLF', make: edit(ROWS, (text) => text.replaceAll('\n', '\r\n')), exitCode: 0 },
  { name: 'a text with CRLF', make: edit('README.md', (text) => text.replaceAll('\n', '\r\n')), exitCode: 0 },
  { name: 'a setting', make: setting('tool_timeout: 5'), exitCode: 0 },
  { name: 'a setting with a comment', make: setting('tool_timeout: 5.0  # slow'), exitCode: 0 },
  { name: 'a setting as an interpolation', make: setting(`tool_timeout: $\{oc.env:T,5}`), exitCode: 0 },
  { name: 'a reformatted config', make: edit(CONFIG, (text) => reindented(text)), exitCode: 0 },
  {
    name: 'a setting that is there twice',
    make: setting('tool_timeout: 5\n      tool_timeout: 6'),
    exitCode: 1,
    file: /^edited {2}configs\/grid_v1\.yaml$/m,
    reason: /- +tool_timeout: 5\n +- +tool_timeout: 6/,
  },
  {
    name: 'a setting with an invalid value',
    make: setting('tool_timeout: soon'),
    exitCode: 2,
    reason: /configs\/grid_v1\.yaml: tool_timeout/,
  },
  {
    name: 'another edit of the config',
    make: edit(CONFIG, (text) => text.replace('domain: agent', 'domain: math')),
    exitCode: 1,
    file: /^edited {2}configs\/grid_v1\.yaml$/m,
    reason: /- +domain: math/,
  },
  {
    name: 'rows of another split',
    make: ({ folder }) => cpSync(join(folder, ROWS), join(folder, 'data/old.jsonl')),
    exitCode: 0,
    file: /^other {3}data\/old\.jsonl \(gymgen did not write it\)$/m,
  },
  {
    name: 'a module of someone else',
    make: ({ folder }) => writeFileSync(join(folder, 'openenv_bridge/json.py'), ''),
    exitCode: 0,
    file: /^other {3}openenv_bridge\/json\.py \(gymgen did not write it\)$/m,
  },
  { name: 'notes of the user', make: ({ folder }) => writeFileSync(join(folder, 'notes.txt'), ''), exitCode: 0 },
  {
    name: 'a lock file with conflict markers',
    make: edit(LOCK, (text) => `<<<<<<< HEAD\n${text}`),
    exitCode: 2,
    reason: /unresolved merge conflicts[\s\S]*gymgen\.lock\.json:1[\s\S]*git checkout --ours/,
  },
  {
    name: 'a missing lock file',
    make: ({ folder }) => rmSync(join(folder, LOCK)),
    exitCode: 2,
    reason: /no gymgen\.lock\.json/,
  },
  {
    name: 'a hash in the lock file',
    make: setLock((lock) => ({ ...lock, files: { ...lock.files, 'app.py': `sha256:${'0'.repeat(64)}` } })),
    exitCode: 1,
    file: /^update {2}gymgen\.lock\.json$/m,
    reason: /~ files: app\.py/,
  },
  {
    name: 'a reformatted lock file',
    make: edit(LOCK, (text) => JSON.stringify(JSON.parse(text))),
    exitCode: 1,
    file: /^update {2}gymgen\.lock\.json$/m,
    reason: /only the JSON formatting/,
  },
  {
    name: 'a lock file of format 1',
    make: setLock(({ generator: _, prompts, ...lock }) => ({
      ...lock,
      format: 1,
      prompts: Object.fromEntries(Object.entries(prompts).map(([file, all]) => [file, all.join('')])),
    })),
    exitCode: 1,
    file: /^update {2}gymgen\.lock\.json$/m,
    reason: /^gymgen itself changed since this folder was written \(revision 0, now \d+\):$/m,
  },
  {
    name: 'a newer revision',
    make: setLock((lock) => ({ ...lock, generator: 1e6 })),
    exitCode: 2,
    reason: /a newer gymgen wrote this folder/,
  },
  {
    name: 'another option in the lock file',
    make: setLock((lock) => ({ ...lock, options: { limit: '2' } })),
    exitCode: 1,
    file: /^update {2}gymgen\.lock\.json$/m,
    reason: /- +"limit": "2"/,
    locked: { exitCode: 1, file: /^update {2}data\/train\.jsonl$/m, reason: /day-2' removed/ },
  },
  {
    name: 'a folder that became a symlink',
    make: ({ folder }) => {
      renameSync(folder, `${folder}-real`);
      symlinkSync('grid_v1-real', folder);
    },
    exitCode: 2,
    reason: /symlink/,
  },
  {
    name: 'a folder of data that became a symlink',
    make: ({ folder }) => {
      renameSync(join(folder, 'data'), join(folder, 'real'));
      symlinkSync('real', join(folder, 'data'));
    },
    exitCode: 2,
    reason: /a folder of the Gym root is a symlink/,
  },
  {
    name: 'a folder at the path of a file',
    make: ({ folder }) => {
      rmSync(join(folder, 'app.py'));
      mkdirSync(join(folder, 'app.py'));
    },
    exitCode: 2,
    reason: /app\.py/,
  },
];
