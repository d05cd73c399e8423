import type { Discovery, GymOptions } from '../model.js';
import {
  configBundle,
  configFields,
  configHeaders,
  configText,
  configUrl,
  datasetSplits,
  type Finding,
  instanceName,
  license,
  promptText,
  renames,
  settings,
  splitNames,
} from '../rules/index.js';
import { description } from './config.js';

/** Checks that need no server. */
export function checkOptions(options: GymOptions): Finding[] {
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
    ...splitNames(names, { example: options.datasets !== undefined }),
    ...configText('environment', description(envName)),
    ...configFields(action?.fixed ?? {}),
    ...(options.datasets === undefined ? [] : datasetSplits(options.datasets, names)),
  ];
}
