import { describe, expect, test } from 'vitest';
import { droppedOptions } from '../../src/operations/rewrite-warnings/dropped-options.js';
import { flagOf, OPTIONS, type Option, type OptionName } from '../../src/options/index.js';
import { SETTING_KEYS } from '../../src/settings.js';

const subjects = (before: Record<string, unknown>, now: Record<string, never>) =>
  droppedOptions({ options: before }, now).map(({ subject }) => subject);

describe('options that are not passed again', () => {
  const cases: [before: Record<string, unknown>, now: object, dropped: string[]][] = [
    [{}, { limit: '5' }, []],
    [{ limit: '5' }, { limit: '6' }, []],
    [{ limit: '5' }, {}, ['--limit 5']],
    [{ fullIds: true }, {}, ['--full-ids']],
    [{ appendSystemPrompt: 'Be brief.' }, {}, ["--append-system-prompt 'Be brief.'"]],
    [{ prompt: 'x'.repeat(50) }, {}, [`--prompt '${'x'.repeat(40)}…'`]],
    [{ split: ['train', 'eval'] }, {}, ['--split train eval']],
    [{ split: ['train', 'eval'] }, { split: ['train'] }, []],
    [{ fixField: ['a=1', 'b=2'] }, { fixField: ['a=3'] }, ["--fix-field 'b=2'"]],
    [{ renameTool: ['a=1', 'b=2', 'c=3', 'd=4'] }, {}, ["--rename-tool 'a=1' 'b=2' 'c=3' …"]],
    [{ episodes: '5', seed: '1', seedKey: 's' }, { tasks: 't.csv' }, []],
    [{ tasks: 't.csv' }, { episodes: '5' }, []],
    [{ name: 'other', toolTimeout: '5', maxSteps: '3' }, {}, []],
  ];
  test.each(cases)('before %j, now %j', (before, now, dropped) => {
    expect(subjects(before, now as Record<string, never>)).toEqual(dropped);
  });
});

/** `maxSessions` changes no file, and a rewrite keeps the name and the settings. */
const WITHOUT_EFFECT = [
  'name',
  'maxSessions',
  ...SETTING_KEYS.map((key) => key.replace(/_(.)/g, (_, letter) => letter.toUpperCase())),
];

test('every other option of a lock file has an effect', () => {
  const recorded = (Object.entries(OPTIONS) as [OptionName, Option][]).filter(
    ([name, option]) => option.recorded && !WITHOUT_EFFECT.includes(name),
  );
  const all = Object.fromEntries(recorded.map(([name]) => [name, 'x']));
  const flags = subjects(all, {}).map((subject) => subject.split(' ', 1)[0]);
  expect(flags).toEqual(recorded.map(([name]) => flagOf(name)));
});

test('a hostile lock file gives short findings', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => `k${at}=${'x'.repeat(50)}`);
  const [finding] = droppedOptions({ options: { fixField: many } }, {});
  expect(finding?.subject.length).toBeLessThan(300);
});
