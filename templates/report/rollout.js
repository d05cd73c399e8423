// One rollout, turn by turn.

import { block } from './data.js';
import { count, element, plural, reward } from './dom.js';
import { layOut, parseJson } from './json.js';

const NAMES = {
  system: 'System',
  developer: 'Developer',
  user: 'User',
  assistant: 'Assistant',
  reasoning: 'Reasoning',
  call: 'Calls',
  answer: 'Output',
};
/** Entries at the start of a rollout, before those that were left out. */
const FIRST = 300;
/** Minimum length of a folded text, in characters. */
const LONG = 3000;

/**
 * Shows a rollout in `#rollout`.
 * @param {object} rollout
 * @param {{ files: string[], around: object, hashOf: (rollout: object) => string, back: string }} context
 */
export async function showRollout(rollout, context) {
  const page = document.getElementById('rollout');
  const heading = element('h1', { tabindex: -1 }, rollout.label);
  page.replaceChildren(
    navigation(context),
    element('header', {}, rewardNode(rollout), heading, about(rollout, context)),
  );
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
  const transcript = rollout.block < 0 ? undefined : (await block(rollout.block))[rollout.at];
  if (page.querySelector('h1') !== heading) return; // another rollout was opened meanwhile
  if (transcript) page.append(...body(transcript, rollout, context));
  else page.append(element('p.notice', {}, 'This conversation was left out, because the page would be too large.'));
}

function navigation({ around, hashOf, back }) {
  const link = (name, rollout, key) =>
    rollout
      ? element('a', { href: hashOf(rollout), 'aria-keyshortcuts': key }, name)
      : element('span', { 'aria-disabled': true }, name);
  return element(
    'nav',
    { 'aria-label': 'Rollouts' },
    element('a', { href: back, 'aria-keyshortcuts': 'Escape' }, 'All rollouts'),
    element('span.position', {}, around.at < 0 ? '' : `${count(around.at + 1)} of ${count(around.count)}`),
    link('Previous', around.previous, 'k'),
    link('Next', around.next, 'j'),
  );
}

function rewardNode({ mask, reward: value }) {
  return mask === undefined ? element('p.reward', {}, reward(value)) : element('p.reward.bad', {}, 'masked');
}

function about({ file, line, calls, turns, generated, prompt, sequence }, { files }) {
  const parts = [
    plural(turns, 'turn'),
    plural(calls.length, 'tool call'),
    ...(generated === null ? [] : [`${count(generated)} tokens generated`]),
    ...(prompt === null ? [] : [`${count(prompt)} in the first prompt`]),
    ...(sequence === null ? [] : [`${count(sequence)} in total`]),
    `line ${count(line)} of ${files[file]}`,
  ];
  return element('p.about', {}, parts.join(', '));
}

function body(transcript, rollout, context) {
  const { mask, incomplete, components, scores, entries, left, row, tools } = transcript;
  return [
    mask && element('p.notice.bad', {}, element('b', {}, `Masked: ${mask.kind}. `), ...excerptNodes(mask.reason)),
    incomplete && element('p.notice', {}, `The response ended early: ${incomplete}`),
    siblings(rollout, context),
    numbers('Parts of the reward', components),
    numbers('Scores', components.length > 0 ? [] : scores),
    tools.length > 0 ? fact('Tools', tools.join(', ')) : undefined,
    element(
      'ol.entries',
      {},
      ...entries.flatMap((entry, at) => [
        ...(left && at === FIRST
          ? [element('li.left', {}, `${plural(left, 'entry').replace('entrys', 'entries')} left out`)]
          : []),
        entryNode(entry),
      ]),
    ),
    row && element('details.row', {}, element('summary', {}, 'Other keys of the line'), content(row, true)),
  ].filter(Boolean);
}

/** Links to the other rollouts of the task. */
function siblings(rollout, { files, hashOf }) {
  if (rollout.siblings.length < 2) return undefined;
  const links = rollout.siblings.slice(0, 64).map((each) => {
    const key = files.length > 1 ? element(`i.key.series-${each.file}`, { title: files[each.file] }) : undefined;
    const value = each.mask === undefined ? reward(each.reward) : 'masked';
    return each === rollout
      ? element('b', { 'aria-current': 'true' }, key, value)
      : element('a', { href: hashOf(each) }, key, value);
  });
  return fact('Same task', ...links);
}

function numbers(name, pairs) {
  if (pairs.length === 0) return undefined;
  return fact(name, ...pairs.map(([key, value]) => element('span', {}, `${key} `, element('b', {}, reward(value)))));
}

function fact(name, ...values) {
  return element('p.fact', {}, element('span.name', {}, name), ...values);
}

function entryNode(entry) {
  const { kind, name, turn } = entry;
  const title = kind === 'other' ? name : NAMES[kind];
  const isCode = kind === 'call' || kind === 'answer' || kind === 'other';
  return element(
    `li.entry.${kind}`,
    turn ? { 'data-turn': `Turn ${turn}` } : {},
    element('h2', {}, title, name && kind !== 'other' ? element('code', {}, name) : undefined),
    content(entry, isCode),
  );
}

/** A text, with JSON laid out and a long one folded. */
function content(excerpt, isCode) {
  const json = excerpt.cut ? undefined : parseJson(excerpt.text);
  const node = json
    ? element('div.content.json', {}, layOut(json))
    : element(isCode ? 'div.content.code' : 'div.content', {}, ...excerptNodes(excerpt));
  if (excerpt.text.length < LONG) return node;
  node.classList.add('folded');
  const unfold = element(
    'button.unfold',
    {
      type: 'button',
      click: () => {
        node.classList.remove('folded');
        unfold.remove();
      },
    },
    `Show all ${count(excerpt.text.length + (excerpt.end?.length ?? 0))} characters`,
  );
  return element('div', {}, node, unfold);
}

function excerptNodes({ text, cut, end }) {
  if (!cut) return [text === '' ? element('span.none', {}, 'empty') : text];
  return [text, element('span.cut', {}, `${plural(cut, 'character')} left out`), end];
}
