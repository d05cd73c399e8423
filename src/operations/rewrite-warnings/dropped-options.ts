import { flagOf, OPTIONS, type Option, type OptionName } from '../../options/index.js';
import type { JsonValue, Lock } from '../../output/index.js';
import { shellQuote } from '../../printed-command.js';
import type { Finding } from '../../rules/index.js';

/** Effect of a rewrite without each option. Settings are left out, because the config keeps them. */
const EFFECTS: Partial<Record<OptionName, string>> = {
  split: 'all splits are written',
  limit: 'all rows of each split are written',
  renameTool: "tools have the source's names",
  appendSystemPrompt: 'system prompts lose this text',
  datasets: 'the config names the default datasets',
  license: `the license is ${OPTIONS.license.default}`,
  fullIds: "task ids lose the serving machine's path",
  configUrl: 'NeMo Gym uses the URL of the source',
  headerEnv: 'the written server sends no such header',
  tasks: 'the source must list its tasks',
  episodes: 'the source must list its tasks',
  seed: `seeds begin at ${OPTIONS.seed.default}`,
  seedKey: `resets get the argument '${OPTIONS.seedKey.default}'`,
  prompt: 'prompts lose this text',
  promptField: 'prompts have other parts of the first observation',
  hideField: 'the model sees this field',
  fixField: 'the model chooses this field',
  toolDoc: "the tool has the action's own description",
  probes: `all tasks are probed only if there are at most ${OPTIONS.probes.default}`,
  probeTurns: 'all turns are probed, which runs their verifiers',
};

/** The options of the last write that are not passed again, each with the effect. */
export function droppedOptions(
  { options = {} }: Pick<Lock, 'options'>,
  passed: Record<string, JsonValue>,
): Pick<Finding, 'subject' | 'problem'>[] {
  return Object.entries(EFFECTS).flatMap(([key, effect]) => {
    const name = key as OptionName;
    const values = isReplaced(name, passed) ? [] : lostValues(name, options[name], passed[name]);
    return values.length === 0 ? [] : [{ subject: shown(name, values), problem: `is dropped, so ${effect}` }];
  });
}

/** Whether another option is passed that replaces this option. */
function isReplaced(name: OptionName, passed: Record<string, JsonValue>): boolean {
  if (['episodes', 'seed', 'seedKey'].includes(name)) return passed.tasks !== undefined;
  return name === 'tasks' && passed.episodes !== undefined;
}

/** The values that no new value replaces. New splits replace all splits; a pair replaces the pair of the same name. */
function lostValues(name: OptionName, before: unknown, now: JsonValue | undefined): unknown[] {
  if (before === undefined) return [];
  if (!Array.isArray(before)) return now === undefined ? [before] : [];
  if (!Array.isArray(now)) return before;
  const kept = new Set(now.map(nameIn));
  return name === 'split' ? [] : before.filter((value) => !kept.has(nameIn(value)));
}

const nameIn = (value: unknown) => String(value).split('=', 1)[0]?.trim();

/** Maximum number of values in a message, and of characters of a value. */
const SHOWN = 3;
const LONGEST = 40;

function shown(name: OptionName, values: readonly unknown[]): string {
  const isFlag = (OPTIONS[name] as Option).value === undefined;
  const texts = isFlag ? [] : values.slice(0, SHOWN).map((value) => shellQuote(shortened(String(value))));
  return [flagOf(name), ...texts, ...(values.length > SHOWN ? ['…'] : [])].join(' ');
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
