import { safeJson } from '../../display-text.js';
import type { Discovery, Toolset } from '../../model.js';
import { type Header, type Line, RECORDING_FORMAT } from './format.js';

/**
 * The text of a recording, in chunks of whole lines, written while the tasks are read.
 * @param server where the tasks are, as the config names it
 */
export async function* recordingText(discovery: Discovery, server: Header['server']): AsyncGenerator<string> {
  const { envName, splits, provided, action, rewardRule } = discovery;
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
    yield line({ type: 'split', name: split.name });
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
    const { key, tasks, turns } = toolset;
    return { toolset: numbers.get(toolset) ?? numbers.size, key, tasks, turns };
  });
  yield line({ type: 'end', tasks, toolsets: ends });
}

function line(value: Header | Line): string {
  return `${safeJson(value)}\n`;
}
