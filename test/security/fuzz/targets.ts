import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { openRecording } from '../../../src/discover/index.js';
import { readBatchFile } from '../../../src/operations/batch-file.js';
import { lockedRequests } from '../../../src/operations/from-lock/index.js';
import { finishCommits, type OutputFile, writeFolder } from '../../../src/output/index.js';
import { changed, damaged } from './mutations.js';

/** A parser of untrusted text, with inputs for it. */
export interface Target {
  name: string;
  inputs: fc.Arbitrary<string>;
  /** Reads one text and does what a command would do with it. It may only throw `UserError`. */
  read(text: string): Promise<void>;
}

const NAME = 'demo_v1';
const signal = new AbortController().signal;
const SILENT = { warn: () => {}, progress: () => {} };

/**
 * The parsers that read untrusted files, on a Gym root in `parent`. Next to the root there is a file that none of them
 * may change.
 */
export async function targets(parent: string): Promise<Target[]> {
  const root = path.join(parent, 'root');
  const folder = path.join(root, 'resources_servers', NAME);
  put(path.join(parent, 'outside/secret'), 'SECRET');
  put(path.join(root, '.git/config'), '[core]');
  await write(root);
  symlinkSync('../../../outside', path.join(folder, 'link'));
  const lockFile = path.join(folder, 'gymgen.lock.json');
  const lock: unknown = JSON.parse(readFileSync(lockFile, 'utf8'));
  const recording = path.join(parent, 'recording.jsonl');
  writeFileSync(recording, lines(RECORDING));
  const staging = path.join(root, '.gymgen', NAME);
  const batch = path.join(parent, 'batch.yaml');

  return [
    {
      name: 'lock',
      inputs: texts(changed(lock).map((value) => JSON.stringify(value, null, 2))),
      async read(text) {
        writeFileSync(lockFile, text);
        await lockedRequests(root, { source: recording });
        await write(root);
      },
    },
    {
      name: 'journal',
      inputs: texts(changed(JOURNAL).map((value) => JSON.stringify(value))),
      async read(text) {
        rmSync(path.join(root, '.gymgen'), { recursive: true, force: true });
        put(path.join(staging, 'files/app.py'), 'print()');
        symlinkSync('../../../../outside', path.join(staging, 'files/link'));
        put(path.join(staging, 'journal.json'), text);
        await finishCommits(root);
      },
    },
    {
      name: 'recording',
      inputs: texts(changed(RECORDING).map((value) => lines(value))),
      async read(text) {
        writeFileSync(recording, text);
        const opened = await openRecording(recording, { splits: [], limit: 1000, signal }, SILENT);
        try {
          for (const split of opened.splits) for await (const _ of opened.tasks(split));
          await opened.finish();
        } finally {
          await opened.close();
        }
      },
    },
    {
      name: 'batch',
      inputs: texts(changed(BATCH).map((value) => JSON.stringify(value, null, 1))),
      async read(text) {
        writeFileSync(batch, text);
        readBatchFile(batch);
      },
    },
  ];
}

/** Everything in a folder except the Gym root, but including the root's `.git`. */
export function outsideOf(parent: string): string {
  const apart = new Set([
    path.join(parent, 'root'),
    path.join(parent, 'recording.jsonl'),
    path.join(parent, 'batch.yaml'),
  ]);
  return [...look(parent, apart), ...look(path.join(parent, 'root/.git'), apart)].join('\n');
}

function* look(folder: string, apart: ReadonlySet<string>): Generator<string> {
  for (const name of readdirSync(folder).sort()) {
    const file = path.join(folder, name);
    if (apart.has(file)) continue;
    const found = lstatSync(file);
    if (found.isDirectory()) yield* look(file, apart);
    else yield `${file} ${found.isSymbolicLink() ? readlinkSync(file) : readFileSync(file, 'hex')}`;
  }
}

function texts(whole: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof({ weight: 4, arbitrary: whole }, { weight: 1, arbitrary: damaged(whole) });
}

function put(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function write(root: string): Promise<void> {
  const record = () => ({ source: 'http://127.0.0.1:8000', options: {} });
  await writeFolder({ gymRoot: root, name: NAME }, files(), record, { edits: 'keep', signal });
}

async function* files(): AsyncGenerator<OutputFile> {
  yield { path: 'app.py', content: 'print()\n' };
  yield { path: 'data/train.jsonl', rows: rows() };
  yield { path: `configs/${NAME}.yaml`, content: `${NAME}:\n  tool_timeout: 60\n` };
}

async function* rows(): AsyncGenerator<Buffer> {
  yield Buffer.from('{"task_id":"one"}\n{"task_id":"two"}\n');
}

function lines(value: unknown): string {
  return Array.isArray(value) ? value.map((line) => `${JSON.stringify(line) ?? ''}\n`).join('') : JSON.stringify(value);
}

const JOURNAL = { format: 1, writes: ['app.py', 'link/secret'], deletes: ['data/train.jsonl'] };
const TOOLS = [{ name: 'step', description: 'Takes a step.', parameters: '{"type":"object","properties":{}}' }];
const RECORDING = [
  {
    type: 'gymgen-recording',
    format: 1,
    server: { url: 'http://127.0.0.1:8000' },
    environment: 'demo-v1',
    splits: [{ name: 'train', count: 2 }],
  },
  { type: 'split', name: 'train' },
  { type: 'toolset', toolset: 0, turns: [TOOLS] },
  { type: 'task', index: 0, id: 'one', prompt: 'Do one.', systemPrompt: null, toolset: 0 },
  { type: 'task', index: 1, id: 'two', prompt: 'Do two.', systemPrompt: 'Be brief.', toolset: 0 },
  {
    type: 'end',
    tasks: 2,
    toolsets: [{ toolset: 0, key: 'agent:a', tasks: [{ split: 'train', index: 0, id: 'one' }], turns: [TOOLS] }],
  },
];
const BATCH = {
  root: 'gym-root',
  defaults: { limit: 10, split: ['train'] },
  sources: ['http://127.0.0.1:8000', { source: './bundles/qa', name: 'qa', 'append-system-prompt': 'Be brief.' }],
};
