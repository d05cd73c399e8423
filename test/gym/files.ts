import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { folder } from '../../src/gym/files.js';
import type { Discovery, GymOptions } from '../../src/model.js';
import { Findings } from '../../src/rules/index.js';

export interface Generated {
  /** The text of each file, by path, in order. */
  files: Map<string, string>;
  findings: Findings;
}

/** Reads a folder's files as `output/` would. */
export async function generate(discovery: Discovery, options: GymOptions): Promise<Generated> {
  const findings = new Findings();
  const files = new Map<string, string>();
  for await (const file of folder(discovery, options, findings)) {
    files.set(file.path, 'rows' in file ? (await texts(file.rows)).join('') : file.content);
  }
  return { files, findings };
}

/** Writes a folder below a Gym root. Returns its path. */
export async function writeFolder(root: string, discovery: Discovery, options: GymOptions): Promise<string> {
  const { files, findings } = await generate(discovery, options);
  findings.throwIfAny('Gym would refuse this');
  const target = join(root, 'resources_servers', options.name);
  for (const [path, text] of files) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), text);
  }
  return target;
}

/** The text of each chunk. A chunk is valid only until the next is read. */
export async function texts(chunks: AsyncIterable<Buffer>): Promise<string[]> {
  const all: string[] = [];
  for await (const chunk of chunks) all.push(chunk.toString());
  return all;
}
