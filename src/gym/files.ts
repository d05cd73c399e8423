import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Datasets, Discovery, DiscoverySummary, GymOptions, OutputFile, TextFile } from '../model.js';
import {
  configBundle,
  configFields,
  configHeaders,
  configSize,
  configText,
  configUrl,
  datasetSplits,
  exampleRows,
  type Finding,
  type Findings,
  instanceName,
  license,
  promptText,
  renames,
  settings,
  splitNames,
} from '../rules/index.js';
import { config, configFile, description } from './config.js';
import { exampleSplit } from './datasets.js';
import { namesOf } from './names.js';
import { PromptFingerprints } from './prompt-fingerprints.js';
import { RowWriter } from './row-writer.js';
import { render, TEMPLATES, type Template } from './templates.js';
import { ToolsetTexts } from './toolsets.js';

/**
 * The files of the written folder: first the bridge, then the rows, while the tasks are read, then the files that
 * depend on them.
 * @param findings collects everything that Gym would reject, so that all problems are reported together. If it has
 *   errors after the last file, the folder is incomplete and must not be written.
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
  const example = exampleSplit(options);
  const examples: string[] = [];

  // If a file name may be invalid, no file is returned, and the tasks are read only to check them.
  const writable = !findings.any;
  for (const [at, split] of discovery.splits.entries()) {
    const prompts = new PromptFingerprints();
    const rows = writer.rows(discovery.tasks(split), split.name === example ? examples : undefined, prompts);
    if (writable && at === 0) yield* pythonPackages(options); // while the first tasks are being fetched
    if (writable) yield { path: names.rows(split.name), rows, prompts };
    else for await (const _ of rows);
  }

  const summary = await discovery.finish();
  toolsets.finish(summary.toolsets);
  if (writable && example !== undefined) findings.add(exampleRows(example, examples.length));
  if (findings.any) return summary;

  if (example !== undefined) yield { path: names.rows('example'), content: examples.join('') };
  yield { path: 'toolsets.json', content: toolsets.file(summary.toolsets) };
  for (const file of serverFiles(discovery, summary, options)) {
    if (file.path === names.config) findings.add(configSize(file.content));
    yield file;
  }
  return summary;
}

/** The files that Gym runs and people read. Only the config contains text of the server, and it quotes that text. */
export function serverFiles(discovery: Discovery, summary: DiscoverySummary, options: GymOptions): TextFile[] {
  const names = namesOf(options.name);
  const provided = discovery.provided ?? false;
  const content = (path: Template, values: object = {}) => ({ path, content: render(path, values) });
  const template = (path: Template, values?: object) => ({ ...content(path, values), isTemplate: true });
  return [
    configFile(config(discovery, options), options.name),
    template('app.py', { bundle: 'bundle' in options.server }),
    template('pyproject.toml', { project: names.project, framework: framework(options) }),
    template('task_data.py', { provided }),
    template('tests/test_app.py', { names }),
    // The row counts in it differ only if the rows differ, which is reported anyway.
    template('README.md', readme(discovery, summary, options)),
  ];
}

/** The dependency that serves a bundle, at the version with which the rows were generated. */
function framework({ server }: GymOptions): string | null {
  return 'bundle' in server ? `agentenv-framework[openenv]==${server.framework}` : null;
}

function readme(
  discovery: Discovery,
  { toolsets }: DiscoverySummary,
  { name, server, renameTools, datasets }: GymOptions,
): object {
  return {
    bundle: 'bundle' in server,
    names: namesOf(name),
    provided: discovery.provided ?? false,
    splits: discovery.splits,
    /** The split in the example commands: the smallest, because it is the quickest to run. */
    example: discovery.splits.reduce((least, split) => (split.count < least.count ? split : least)).name,
    /** The dataset that `gym eval run --split` plays. */
    played: datasets?.validation !== undefined ? 'validation' : datasets?.train !== undefined ? 'train' : null,
    playedSplit: datasets?.validation ?? datasets?.train ?? null,
    endTurn: toolsets.some(({ turns }) => turns.length > 1) ? (renameTools.end_turn ?? 'end_turn') : null,
    examples: datasets?.examples ?? false,
  };
}

/** The Python packages that `app.py` imports: the bridge and, if the config has a bundle, the process that serves it. */
export function pythonPackages({ server }: GymOptions): TextFile[] {
  return ['openenv_bridge', ...('bundle' in server ? ['bundle_child'] : [])].flatMap(pythonPackage);
}

/** A package without its caches: NeMo Platform rejects a `.pyc` in a package. */
function pythonPackage(name: string): TextFile[] {
  const found = readdirSync(join(TEMPLATES, name), { recursive: true, encoding: 'utf8' });
  const paths = found
    .map((file) => `${name}/${file.split(sep).join('/')}`)
    .filter((path) => /(?:\.py|\/py\.typed)$/.test(path) && !/\/(?:\.|__pycache__)/.test(path))
    .sort();
  return paths.map((path) => ({ path, content: readFileSync(join(TEMPLATES, path), 'utf8'), isTemplate: true }));
}

/** Checks that need no server. */
export function checkOptions(
  options: Omit<GymOptions, 'datasets'> & { datasets?: Pick<Datasets, 'license'> },
): Finding[] {
  return [
    ...instanceName(options.name),
    ...('url' in options.server ? configUrl(options.server.url) : configBundle(options.server)),
    ...configHeaders(options.headers),
    ...renames(options.renameTools),
    ...settings({ ...options.settings }, (key) => `--${key.replaceAll('_', '-')}`),
    ...promptText(options.appendSystemPrompt ?? ''),
    ...(options.datasets === undefined ? [] : license(options.datasets.license)),
  ];
}

/** Checks that need no tasks. */
export function checkServer(
  { envName, splits, action }: Pick<Discovery, 'envName' | 'splits' | 'action'>,
  options: GymOptions,
): Finding[] {
  const names = splits.map((split) => split.name);
  return [
    ...splitNames(names, { example: exampleSplit(options) !== undefined }),
    ...configText('environment', description(envName)),
    ...configFields(action?.fixed ?? {}),
    ...(options.datasets === undefined ? [] : datasetSplits(options.datasets, names)),
  ];
}
