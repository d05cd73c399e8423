import { LineCounter } from 'yaml';
import { UserError } from '../errors.js';
import { isRecord } from '../json/guards.js';
import { SETTING_KEYS, type Settings } from '../model.js';
import { describe, settings as settingsRule } from '../rules/index.js';
import { yamlDocument, yamlValues } from '../yaml-text.js';

/**
 * The settings that a written config has now, set by whom ever, so that a rewrite keeps them.
 * @param text of `configs/<name>.yaml`
 * @param path of the file, for the message
 * @throws UserError where one has a value that Gym or the bridge would refuse, since it would be lost; or if the file is too
 * large
 */
export function readSettings(text: string, name: string, path: string): Settings {
  const root = yaml(text, path);
  const server = at(root, name, 'resources_servers', name);
  const agent = at(root, `${name}_simple_agent`, 'responses_api_agents', 'simple_agent');
  const found: Record<string, unknown> = {};
  for (const key of SETTING_KEYS) {
    const value = key === 'max_steps' ? agent[key] : server[key];
    if (value !== undefined && value !== null) found[key] = value;
  }
  const findings = settingsRule(found, (key) => `${path}: ${key}`);
  if (findings.length > 0) {
    throw new UserError('the config has settings that Gym would refuse', {
      where: path,
      details: findings.map(describe),
    });
  }
  return found as Settings;
}

/** A file that is no YAML was edited by hand, which stops the run on its own: there is nothing to keep of it. */
function yaml(text: string, path: string): unknown {
  const lineCounter = new LineCounter();
  const document = yamlDocument(text, path, { version: '1.1', lineCounter });
  return document.errors.length > 0 ? undefined : yamlValues(document, path, lineCounter);
}

function at(value: unknown, ...keys: string[]): Record<string, unknown> {
  let node = value;
  for (const key of keys) node = isRecord(node) ? node[key] : undefined;
  return isRecord(node) ? node : {};
}
