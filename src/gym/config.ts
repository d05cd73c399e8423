import type { SettingMaps } from '../config-settings.js';
import { displayText } from '../display-text.js';
import type { Discovery, GymOptions, TextFile, UserSettings } from '../model.js';
import { SETTING_KEYS } from '../settings.js';
import { datasetEntries } from './datasets.js';
import { namesOf } from './names.js';
import { render } from './templates.js';

/**
 * Lines of a generated config that are settings. The name of a header or tool never matches, because it is always quoted.
 */
// eslint-disable-next-line no-restricted-syntax -- built from constants
export const SETTING_LINES = new RegExp(`^ +(?:${SETTING_KEYS.join('|')}):`);

/** Where a config has its settings. */
export function settingMaps(name: string): SettingMaps {
  const { server, agent } = namesOf(name);
  return { server: [server, 'resources_servers', server], agent: [agent, 'responses_api_agents', 'simple_agent'] };
}

/** Separates the settings of an existing config from everything else. */
export function configSettings(name: string): Pick<UserSettings, 'restOf'> {
  const maps = settingMaps(name);
  return { restOf: async (existing) => (await import('../config-settings.js')).withoutSettings(existing, maps) };
}

/**
 * The file of a config, in which users may change settings. A YAML parser is loaded only for an existing config.
 * @param content with settings as gymgen or the user spells them
 * @param generated the config as gymgen spells it, if that is different
 */
export function configFile(content: string, name: string, generated = content): TextFile & { settings: UserSettings } {
  const lines = generated.split('\n').filter((line) => !SETTING_LINES.test(line));
  const settings: UserSettings = {
    rest: lines.join('\n'),
    former: formerLines(lines).map((former) => former.join('\n')),
    ...configSettings(name),
    isSame: async (existing) =>
      (await import('../config-settings.js')).hasSameValues(content, existing, settingMaps(name)),
  };
  return { path: namesOf(name).config, content, settings };
}

/** Before revision 3, a config had no environment, and before revision 4, datasets only with `--datasets`. */
function formerLines(lines: readonly string[]): string[][] {
  const unnamed = lines.filter((line) => !line.startsWith('      environment: '));
  return [unnamed, withoutDatasets(lines), withoutDatasets(unnamed)];
}

function withoutDatasets(lines: readonly string[]): string[] {
  const start = lines.indexOf('      datasets:');
  if (start === -1) return [...lines];
  const entries = lines.slice(start + 1).findIndex((line) => !/^ {6}(?:- | {2})/.test(line));
  return lines.toSpliced(start, 1 + entries);
}

/** The description that `gym list` shows. It is read as Rich markup, where `[` opens a tag, and a bad tag is an error. */
export function description(envName: string): string {
  const line = displayText(envName.replace(/[\s\p{Cc}]+/gu, ' ').trim());
  const shown = [...line.replaceAll('[', '(').replaceAll(']', ')')].slice(0, 200).join('');
  return `${shown}'s tasks, served by OpenEnv`;
}

/** `configs/<name>.yaml`: the resources server, its agent, and the environment server that NeMo RL sends rows to. */
export function config(
  { envName, action, rewardRule }: Pick<Discovery, 'envName' | 'action' | 'rewardRule'>,
  options: GymOptions,
): string {
  const names = namesOf(options.name);
  const { server, settings } = options;
  const orNull = <T>(value: T | undefined): T | null => value ?? null;
  return render('configs/name.yaml', {
    names,
    description: description(envName),
    envName,
    ...('url' in server
      ? { url: server.url, bundle: null, sandbox: null }
      : { url: null, bundle: server.bundle, sandbox: orNull(server.sandbox) }),
    headers: entries(options.headers),
    toolNames: entries(options.renameTools).map(({ name, value }) => ({ name: value, value: name })),
    action: action !== undefined,
    fixedFields: entries(action?.fixed ?? {}),
    numbers: SETTING_KEYS.filter((key) => typeof settings[key] === 'number' && key !== 'max_steps').map((key) => ({
      key,
      value: settings[key],
    })),
    reward: orNull(settings.reward),
    rewardRule: orNull(settings.reward_rule ?? rewardRule),
    maxSteps: orNull(settings.max_steps),
    datasets: datasetEntries(options),
  });
}

function entries(record: Record<string, string>): { name: string; value: string }[] {
  return Object.entries(record).map(([name, value]) => ({ name, value }));
}
