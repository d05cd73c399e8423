import { LineCounter } from 'yaml';
import { UserError } from '../errors.js';
import { namesOf } from '../gym/index.js';
import { isRecord } from '../json/guards.js';
import { yamlDocument, yamlValues } from '../read-yaml.js';
import { describe, settings as settingsRule } from '../rules/index.js';
import { SETTING_KEYS, type Settings } from '../settings.js';

/**
 * The settings of a written config, whether gymgen or the user set them.
 * @param text of `configs/<name>.yaml`
 * @param path of the file, for messages
 * @throws UserError if a setting has an invalid value, which a rewrite would lose, or if the file is too large
 */
export function readSettings(text: string, name: string, path: string): Settings {
  const names = namesOf(name);
  const root = readYaml(text, path);
  const server = mapAt(root, names.server, 'resources_servers', names.server);
  const agent = mapAt(root, names.agent, 'responses_api_agents', 'simple_agent');
  const found: Record<string, unknown> = {};
  for (const key of SETTING_KEYS) {
    const value = key === 'max_steps' ? agent[key] : server[key];
    if (value !== undefined && value !== null) found[key] = value;
  }
  const findings = settingsRule(found, (key) => `${path}: ${key}`);
  if (findings.length > 0) {
    throw new UserError('invalid settings in the config', { where: path, details: findings.map(describe) });
  }
  return found as Settings;
}

/** Invalid YAML counts as empty: the file was edited, which stops the run later. */
function readYaml(text: string, path: string): unknown {
  const lineCounter = new LineCounter();
  const document = yamlDocument(text, path, { version: '1.1', lineCounter });
  return document.errors.length > 0 ? undefined : yamlValues(document, path, lineCounter);
}

/** The map at a path of keys; empty if there is none. */
function mapAt(value: unknown, ...keys: string[]): Record<string, unknown> {
  let node = value;
  for (const key of keys) node = isRecord(node) ? node[key] : undefined;
  return isRecord(node) ? node : {};
}
