import { createHash } from 'node:crypto';
import { safeJson } from '../../display-text.js';
import type { Discovery, Toolset } from '../../model.js';
import { type Header, type Line, RECORDING_FORMAT } from './format.js';

/**
 * The text of a recording, in chunks of whole lines, written while the tasks are read.
 * @param server where the tasks are, as the config names it
 * @param probes how many tasks could be probed
 */
export async function* recordingText(
  discovery: Discovery,
  server: Header['server'],
  probes: number,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let last = '';
  for await (const chunk of lines(discovery, server, probes)) {
    if (last !== '') yield last;
    hash.update(chunk);
    last = chunk;
  }
  yield withDigest(last, hash.digest('hex'));
}

/** The end with the digest as its last key. */
function withDigest(end: string, digest: string): string {
  return `${end.trimEnd().slice(0, -1)},"sha256":"${digest}"}\n`;
}

/** The end comes last, alone. */
async function* lines(discovery: Discovery, server: Header['server'], probes: number): AsyncGenerator<string> {
  const { envName, splits, provided, action, rewardRule, served } = discovery;
  const numbers = new Map<Toolset, number>();
  let tasks = 0;

  yield line({
    type: 'gymgen-recording',
    format: RECORDING_FORMAT,
    server,
    environment: envName,
    ...(provided === undefined ? {} : { provided }),
    ...(action === undefined ? {} : { action }),
    ...(rewardRule === undefined ? {} : { rewardRule }),
    splits,
  });
  for (const split of splits) {
    const all = served?.tasks[split.name] ?? split.count;
    yield line({ type: 'split', name: split.name, ...(all > split.count && { served: all }) });
    for await (const page of discovery.tasks(split)) {
      let chunk = '';
      for (const { index, id, reset, prompt, systemPrompt, toolset } of page) {
        let number = numbers.get(toolset);
        if (number === undefined) {
          number = numbers.size;
          numbers.set(toolset, number);
          chunk += line({ type: 'toolset', toolset: number, turns: toolset.turns });
        }
        const args = reset === undefined ? {} : { reset };
        chunk += line({ type: 'task', index, id, ...args, prompt: String(prompt), systemPrompt, toolset: number });
      }
      tasks += page.length;
      yield chunk;
    }
  }
  const { toolsets } = await discovery.finish();
  const ends = toolsets.map((toolset) => {
    const { key, tasks, agents, turns } = toolset;
    return { toolset: numbers.get(toolset) ?? numbers.size, key, tasks, ...(agents && { agents }), turns };
  });
  yield line({
    type: 'end',
    tasks,
    toolsets: ends,
    probes: Number.isFinite(probes) ? probes : 'all',
    ...(served && { otherSplits: [...served.otherSplits] }),
  });
}

function line(value: Header | Line): string {
  return `${safeJson(value)}\n`;
}
