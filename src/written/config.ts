import { configParts } from '../config-settings.js';
import { UserError } from '../errors.js';
import { settingMaps } from '../gym/index.js';
import { isRecord } from '../json/guards.js';
import { describe, settings as settingsRule } from '../rules/index.js';
import { SETTING_KINDS, type SettingKey, type Settings } from '../settings.js';
import { numberIn } from './kept-settings.js';

/** An existing config. */
export interface CurrentConfig {
  /** Undefined if there is none. */
  text: string | undefined;
  /** Its settings, except those that only OmegaConf can resolve. */
  settings: Settings;
  /** Settings with an interpolation, such as `${oc.env:TIMEOUT,60}`. */
  interpolated: Partial<Record<SettingKey, string>>;
  /** The URL of the environment's server, unless only OmegaConf can resolve it, or the written server serves a bundle. */
  url?: string;
}

/**
 * The settings of a written config, whether gymgen or the user set them. Invalid YAML has none: the file counts as edited.
 * @param text of `configs/<name>.yaml`
 * @param path of the file, for messages
 * @throws UserError if a setting has an invalid value, which the written server would reject, or if the file is too
 * large
 */
export function readSettings(text: string, name: string, path: string): Omit<CurrentConfig, 'text'> {
  const settings: Record<string, unknown> = {};
  const interpolated: Partial<Record<SettingKey, string>> = {};
  const maps = settingMaps(name);
  const parts = configParts(text, maps, path);
  for (const [key, value] of parts?.settings ?? []) {
    if (value === null) continue;
    if (isInterpolation(value)) interpolated[key] = value;
    else settings[key] = isNumber(key) ? numberIn(value) : value;
  }
  const findings = settingsRule(settings, (key) => `${path}: ${key}`);
  if (findings.length > 0) {
    throw new UserError('invalid settings in the config', { where: path, details: findings.map(describe) });
  }
  const server = maps.server.reduce<unknown>((map, key) => (isRecord(map) ? map[key] : undefined), parts?.values);
  const url = isRecord(server) ? server.url : undefined;
  return { settings, interpolated, ...(typeof url === 'string' && !isInterpolation(url) ? { url } : {}) };
}

function isNumber(key: SettingKey): boolean {
  return SETTING_KINDS[key] === 'seconds' || SETTING_KINDS[key] === 'count';
}

/** A literal `${` has an odd number of backslashes before it. */
function isInterpolation(value: unknown): value is string {
  return typeof value === 'string' && /(?<!\\)(?:\\\\)*\$\{/.test(value);
}
