// The same input gives the same bytes: from a server and from its recording, on the oldest supported Node and on a
// newer one.

import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, expect, test } from 'vitest';
import { ensureOtherNode } from '../../scripts/other-node.mjs';
import { plainEnv, snapshot, tempFolder } from './support/gymgen.js';
import { endings } from './support/processes.js';
import { gridsim } from './support/servers.js';
import { gymgenBin } from './support/toolchain.js';

const work = tempFolder();
const ending = endings();
const nodes = { this: process.execPath, other: ensureOtherNode() };
type Node = keyof typeof nodes;
let url: string;

beforeAll(async () => {
  url = ending(await gridsim('--train', '200', '--eval', '20')).url;
});

async function on(node: Node, ...args: string[]): Promise<string> {
  const { stdout } = await execa(nodes[node], args, { cwd: work, extendEnv: false, env: plainEnv() });
  return stdout;
}

async function written(node: Node, source: string, root: string): Promise<Record<string, string>> {
  await on(node, gymgenBin(), source, root);
  return snapshot(join(work, root)).texts;
}

test('a server, its recordings and two versions of Node give the same bytes', async () => {
  const major = async (node: Node) => Number((await on(node, '--version')).slice(1).split('.')[0]);
  const [one, other] = [await major('this'), await major('other')];
  expect([Math.min(one, other), Math.max(one, other) > 20]).toEqual([20, true]);
  const wanted = await written('this', url, 'server-this');
  expect(Object.keys(wanted).length).toBeGreaterThan(15);
  expect(await written('other', url, 'server-other')).toEqual(wanted);
  for (const [recorder, reader] of [
    ['this', 'other'],
    ['other', 'this'],
  ] as const) {
    const recording = `${recorder}.jsonl.gz`;
    await on(recorder, gymgenBin(), 'record', url, recording);
    expect(await written(reader, recording, `recording-${reader}`)).toEqual(wanted);
  }
});
