// Settings of the config belong to the user, wherever and however they are written.

import { describe, expect, test } from 'vitest';
import { days } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';
import { reindented } from './reindented.js';
import { Root, statesIn } from './support.js';

const CONFIG = 'configs/grid_v1.yaml';
const AFTER_URL = /^( +)(url: .*)$/m;

async function written() {
  const server = await StandIn.start({ splits: { train: days(3) } });
  const root = new Root(server.url);
  await root.write();
  return { server, root };
}

/** Adds lines below the URL, with its indentation. */
const below = (lines: string) => (text: string) =>
  text.replace(AFTER_URL, (_, indent: string, url: string) =>
    [url, ...lines.split('\n')].map((line) => indent + line).join('\n'),
  );
const above = (lines: string) => (text: string) =>
  text.replace(AFTER_URL, (_, indent: string, url: string) =>
    [...lines.split('\n'), url].map((line) => indent + line).join('\n'),
  );

const SETTINGS: [string, (text: string) => string][] = [
  ['below the URL', below('tool_timeout: 5')],
  ['above the URL', above('tool_timeout: 5')],
  ['in another order', below('reset_timeout: 6\ntool_timeout: 5\nconnect_timeout: 1')],
  ['with a comment behind', below('tool_timeout: 5  # slow')],
  ['with comments above', below('# slow\n# see the wiki\ntool_timeout: 5')],
  ['as 5.0', below('tool_timeout: 5.0')],
  ['as 1e1', below('tool_timeout: 1e1')],
  ['with spaces', below('tool_timeout:   5 ')],
  ['in double quotes', below('tool_timeout: "5"')],
  ['in single quotes', below("reward_rule: 'sum'")],
  ['with a quoted key', below('"tool_timeout": 5')],
  ['without quotes', below('reward: acc')],
  ['as a folded text', below('reward: >-\n  acc')],
  ['on the next line', below('tool_timeout:\n  5')],
  ['as an interpolation', below(`tool_timeout: $\{oc.env:T,5}`)],
  ['as a quoted interpolation', below(`reward: "$\{oc.env:R}"`)],
  ['with an anchor and an alias', below('tool_timeout: &t 5\nreset_timeout: *t')],
  ['without a value', below('tool_timeout:')],
  ['of the agent, first', (text) => text.replace(/^( +)resources_server:$/m, '$1max_steps: 9\n$&')],
  ['of the agent, last', (text) => text.replace(/^( +)name: policy_model$/m, '$&\n      max_steps: 9 # why')],
];

/** Changes of the spelling of the whole file. */
const SPELLINGS: [string, (text: string) => string][] = [
  ['CRLF', (text) => text.replaceAll('\n', '\r\n')],
  ['a byte order mark', (text) => `\ufeff${text}`],
  ['a comment at the top', (text) => `# Ours.\n${text}`],
  ['single quotes', (text) => text.replace(/url: "(.*)"/, "url: '$1'")],
  ['twice the indentation', (text) => reindented(text)],
  ['no line break at the end', (text) => text.trimEnd()],
];

test.each([...SETTINGS, ...SPELLINGS])('a config is the same, and no command touches it: %s', async (_, edit) => {
  const { root } = await written();
  root.edit(CONFIG, edit);
  const text = root.read(CONFIG);
  expect(text).not.toContain('undefined');
  expect(await root.check()).toMatchObject({ changed: false, differences: [] });
  expect(await root.write()).toMatchObject({ changed: false });
  expect(await root.update()).toMatchObject({ changed: false });
  expect(root.read(CONFIG)).toBe(text);
});

describe('if the rest of the config changes', () => {
  /** A new description and environment, which follow from the environment's name. */
  async function renamed(edit: (text: string) => string) {
    const { server, root } = await written();
    root.edit(CONFIG, edit);
    const before = root.read(CONFIG);
    Object.assign(server, { name: 'Grid-V1' });
    const report = await root.update();
    return { root, report, before, after: root.read(CONFIG) };
  }

  test.each(SETTINGS)('update keeps the lines of settings: %s', async (_, edit) => {
    const { root, before, after, report } = await renamed(edit);
    expect(report.edited).toEqual([]);
    expect(after).toContain("Grid-V1's tasks");
    const lines = (text: string) =>
      text
        .split('\n')
        .filter((line) => !/description|environment:/.test(line))
        .sort();
    expect(lines(after)).toEqual(lines(before));
    expect((await root.check()).changed).toBe(false);
  });

  const EDITS: [string, (text: string) => string][] = [
    ['a setting that is there twice', below('tool_timeout: 5\ntool_timeout: 6')],
    ['a setting at a wrong place', (text) => text.replace(/^( +)resources_server:$/m, '$1tool_timeout: 9 # why\n$&')],
    ['broken YAML', below('tool_timeout: [oops')],
    ['a comment at the top', (text) => `# Ours.\n${text}`],
    [
      'an anchor outside of the settings',
      (text) => above('tool_timeout: *d')(text.replace('domain: agent', 'domain: &d 5')),
    ],
    ['settings in a flow map', (text) => text.replace(/ {4}legacy_agent:\n[\s\S]*$/, '    legacy_agent: {x: 1}\n')],
  ];
  test.each(EDITS)('update leaves and shows a config with %s', async (_, edit) => {
    const { report, before, after } = await renamed(edit);
    expect(after).toBe(before);
    expect(report.edited.map(({ path }) => path)).toEqual([CONFIG]);
  });
});

test('a setting that a lock file records, and that is then edited, stays as edited', async () => {
  const server = await StandIn.start({ splits: { train: days(3) } });
  const root = new Root(server.url, { toolTimeout: '30' });
  await root.write();
  root.edit(CONFIG, (text) => text.replace('tool_timeout: 30', 'tool_timeout: 5'));
  const request = { ...root.request(), keepSettings: true };
  expect((await root.update(request)).changed).toBe(false);
  expect(root.read(CONFIG)).toContain('tool_timeout: 5');
  await root.write();
  expect(root.read(CONFIG)).toContain('tool_timeout: 30');
});

test('an option replaces a setting, and keeps the others', async () => {
  const { root } = await written();
  root.edit(CONFIG, below('reset_timeout: 6  # slow\ntool_timeout: 5'));
  const other = new Root(root.source, { toolTimeout: '30' });
  Object.assign(other, { gymRoot: root.gymRoot });
  expect(statesIn(await other.check())).toEqual([`update ${CONFIG}`]);
  await other.write();
  expect(root.read(CONFIG)).toContain('      reset_timeout: 6  # slow\n      tool_timeout: 30\n');
});

test('an invalid setting is refused, with its name', async () => {
  const { root } = await written();
  root.edit(CONFIG, below('tool_timeout: soon'));
  await expect(root.check()).rejects.toMatchObject({
    exitCode: 2,
    details: [expect.stringContaining(`${CONFIG}: tool_timeout`)],
  });
});
