import type { Discovery, DiscoverySummary, GymOptions, OutputFile } from '../model.js';
import { configSize, exampleRows, type Findings } from '../rules/index.js';
import { checkOptions, checkServer } from './check.js';
import { namesOf } from './names.js';
import { PromptPrints } from './prompt-prints.js';
import { RowWriter } from './rows.js';
import { bridge, serverFiles } from './server-files.js';
import { ToolsetTexts } from './toolsets.js';

/**
 * The written folder, file by file: what is always the same, rows as the tasks are read, then what follows from them.
 * Everything that Gym would refuse goes to `findings`, so that a user reads all of it at once; where there is any, the folder
 * is incomplete or empty, and must not be written: the caller throws the findings once it has read all files.
 * @returns what the discovery found
 */
export async function* folder(
  discovery: Discovery,
  options: GymOptions,
  findings: Findings,
): AsyncGenerator<OutputFile, DiscoverySummary, undefined> {
  findings.add([...checkOptions(options), ...checkServer(discovery, options)]);
  const names = namesOf(options.name);
  const toolsets = new ToolsetTexts(options, findings);
  const writer = new RowWriter(options, toolsets, findings);
  const exampleSplit = options.datasets?.train ?? options.datasets?.validation;
  const examples: string[] = [];

  // No file has a name that a rule refuses: the tasks are then read for what else there is to say
  const writable = !findings.any;
  for (const [at, split] of discovery.splits.entries()) {
    const prompts = new PromptPrints();
    const rows = writer.rows(discovery.tasks(split), split.name === exampleSplit ? examples : undefined, prompts);
    if (writable && at === 0) yield* bridge(); // while the first tasks are on their way
    if (writable) yield { path: names.rows(split.name), rows, prompts };
    else for await (const _ of rows);
  }

  const summary = await discovery.finish();
  toolsets.finish(summary.toolsets);
  if (writable && exampleSplit !== undefined) findings.add(exampleRows(exampleSplit, examples.length));
  if (findings.any) return summary;

  if (exampleSplit !== undefined) yield { path: names.rows('example'), content: examples.join('') };
  yield { path: 'toolsets.json', content: toolsets.file(summary.toolsets) };
  for (const file of serverFiles(discovery, summary, options)) {
    if (file.path === names.config) findings.add(configSize(file.content));
    yield file;
  }
  return summary;
}
