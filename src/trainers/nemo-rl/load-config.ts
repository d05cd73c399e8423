import { dirname, isAbsolute } from 'node:path';
import { LineCounter } from 'yaml';
import { UserError } from '../../errors.js';
import { readRegular } from '../../files.js';
import { isRecord } from '../../json/guards.js';
import { utf8Text } from '../../json/utf8.js';
import { yamlDocument, yamlValues } from '../../read-yaml.js';
import { type ConfigValues, mergeConfigs } from './config-values.js';

/** Configs that inherit from each other. */
const DEPTH = 20;

/**
 * Loads a config of NeMo RL with those that it inherits from (`load_config`, nemo_rl/utils/config.py). A path in `defaults` is
 * relative to the file that has it.
 * @throws UserError if a file cannot be read or is not a config
 */
export async function loadConfig(path: string, depth = 0): Promise<ConfigValues> {
  if (depth > DEPTH) {
    throw new UserError('configs inherit from each other in a cycle', { where: path, fix: 'correct `defaults`' });
  }
  const { defaults, ...config } = await readConfig(path);
  let base: ConfigValues = {};
  for (const parent of parents(defaults, path)) base = mergeConfigs(base, await loadConfig(parent, depth + 1));
  return mergeConfigs(base, config);
}

async function readConfig(path: string): Promise<ConfigValues> {
  const text = utf8Text(await readRegular(path, 'configBytes'), path);
  const lineCounter = new LineCounter();
  const document = yamlDocument(text, path, { version: '1.1', lineCounter });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    const problem = error.message.split('\n')[0];
    throw new UserError(`invalid YAML: ${problem}`, { where: `${path}:${line}:${col}`, fix: 'correct the file' });
  }
  const config = yamlValues(document, path, lineCounter);
  if (isRecord(config)) return config;
  throw new UserError('not a NeMo RL config', { where: path, fix: 'pass a YAML file with a map' });
}

function parents(defaults: unknown, path: string): string[] {
  const named = defaults === undefined || defaults === null ? [] : [defaults].flat();
  return named.map((parent) => {
    if (typeof parent !== 'string') {
      throw new UserError('defaults is not a path', { where: path, fix: 'name a file, or a list of files' });
    }
    // Not normalized: the operating system follows symlinks before `..`, as for NeMo RL.
    return isAbsolute(parent) ? parent : `${dirname(path)}/${parent}`;
  });
}
