// The digest of a recording: no damage goes unnoticed, wherever it is.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openRecording } from '../../../src/discover/index.js';
import { UserError } from '../../../src/errors.js';
import { record } from '../../../src/operations/record.js';
import { discoverOptions, Said } from '../../support/discovered.js';
import { handRecording } from '../../support/hand-recording.js';
import { StandIn } from '../../support/stand-in.js';

const signal = new AbortController().signal;
let file: string;
let bytes: Buffer;

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-damage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  file = join(folder, 'a.jsonl');
  const server = await StandIn.start();
  await record({ source: server.url, discover: discoverOptions() }, file, new Said(), signal);
  bytes = readFileSync(file);
});

async function read(): Promise<void> {
  const recording = await openRecording(file, { splits: [], limit: Number.POSITIVE_INFINITY, signal }, new Said());
  try {
    for (const split of recording.splits) for await (const _ of recording.tasks(split));
    await recording.finish();
  } finally {
    await recording.close();
  }
}

test('every changed bit is refused, except of the last line break', async () => {
  for (let at = 0; at < bytes.length - 1; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ (1 << (at % 8));
    writeFileSync(file, changed);
    const place = `${at}: ${bytes.toString('latin1', at - 10, at + 10)}`;
    await expect(read(), place).rejects.toBeInstanceOf(UserError);
  }
});

test('a changed prompt is named as damage, with what to do', async () => {
  writeFileSync(file, bytes.toString().replace('Day 1.', 'Day 2.'));
  await expect(read()).rejects.toMatchObject({
    message: 'damaged recording: its content does not match its SHA-256',
    where: file,
    fix: expect.stringContaining('gymgen record'),
  });
});

test('line ends do not count', async () => {
  for (const text of [bytes.toString().replaceAll('\n', '\r\n'), bytes.toString().trimEnd()]) {
    writeFileSync(file, text);
    await read();
  }
});

test('a recording of an older version has no digest, and is read', async () => {
  writeFileSync(file, handRecording());
  await read();
});
