import type { Discovery, DiscoverySummary, GymOptions, OutputFile } from '../model.js';
import { configSize, exampleRows, type Findings } from '../rules/index.js';
import { checkOptions, checkServer } from './check.js';
import { namesOf } from './names.js';
import { PromptFingerprints } from './prompt-fingerprints.js';
import { RowWriter } from './rows.js';
import { pythonPackages, serverFiles } from './server-files.js';
import { ToolsetTexts } from './toolsets.js';

/**
 * The files of the written folder: first the bridge, then the rows, while the tasks are read, then the files that depend on them.
 * @param findings gets everything that Gym would refuse, so that it can be reported at once. If it has errors after the last
 *   file, the folder is incomplete and must not be written.
 * @returns the summary of the discovery
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

  // If a file name may be invalid, no file is returned, and the tasks are read only to check them.
  const writable = !findings.any;
  for (const [at, split] of discovery.splits.entries()) {
    const prompts = new PromptFingerprints();
    const rows = writer.rows(discovery.tasks(split), split.name === exampleSplit ? examples : undefined, prompts);
    if (writable && at === 0) yield* pythonPackages(options); // while the first tasks are being fetched
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
