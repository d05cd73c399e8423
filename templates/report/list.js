// The table of rollouts. It shows one page at a time, so 20,000 rollouts are as fast as 20.

import { count, element, plural, reward } from './dom.js';
import { matcher, ORDERS } from './filter.js';

const PAGE = 200;

export class List {
  constructor({ rollouts, files }, hashOf) {
    this.rollouts = rollouts;
    this.files = files;
    this.hashOf = hashOf;
    this.found = rollouts;
    this.page = 0;
    this.body = document.querySelector('.rollouts tbody');
    const isUncounted = rollouts.every(({ generated, prompt }) => generated === null && prompt === null);
    document.querySelector('.rollouts').classList.toggle('uncounted', isUncounted);
    this.most = rollouts.reduce((most, { reward }) => Math.max(most, reward ?? 0), 1);
  }

  /** Shows the rollouts that match a filter, in an order. */
  show(filter, order) {
    const matching = this.rollouts.filter(matcher(filter));
    this.found = Object.hasOwn(ORDERS, order) ? matching.sort(ORDERS[order]) : matching;
    this.turn(0);
    const all = plural(this.rollouts.length, 'rollout');
    document.getElementById('count').value =
      this.found.length === this.rollouts.length ? all : `${count(this.found.length)} of ${all}`;
    document.getElementById('empty').hidden = this.found.length > 0;
  }

  /** Shows a page of the list. */
  turn(page) {
    this.page = page;
    const start = page * PAGE;
    const shown = this.found.slice(start, start + PAGE);
    this.body.replaceChildren(...shown.map((rollout) => this.row(rollout)));
    const pages = document.getElementById('pages');
    pages.hidden = this.found.length <= PAGE;
    const to = (name, target, isPossible) =>
      element('button', { type: 'button', disabled: !isPossible, click: () => this.turn(target) }, name);
    pages.replaceChildren(
      to('Previous', page - 1, page > 0),
      element('span', {}, `${count(start + 1)} to ${count(start + shown.length)} of ${count(this.found.length)}`),
      to('Next', page + 1, start + PAGE < this.found.length),
    );
  }

  row(rollout) {
    const { file, label, mask, calls, generated, prompt } = rollout;
    const number = (value) => element('td.number', {}, value === null || value === undefined ? '' : count(value));
    const key = this.files.length > 1 ? element(`i.key.series-${file}`, { title: this.files[file] }) : undefined;
    const tokens = generated === null ? [] : [`${count(generated)} tokens`];
    return element(
      'tr',
      { click: (event) => event.target.closest('a') || this.open(rollout) },
      element('td.reward', {}, ...this.rewardOf(rollout)),
      element(
        'td.task',
        {},
        key,
        element('a', { href: this.hashOf(rollout) }, label),
        mask === undefined ? undefined : element('small.bad', {}, mask),
        element('small.brief', {}, [plural(calls.length, 'call'), ...tokens].join(', ')),
      ),
      number(calls.length),
      number(generated),
      number(prompt),
    );
  }

  rewardOf({ mask, reward: value }) {
    if (mask !== undefined) return [element('span.bad', {}, 'masked')];
    const bar = element('i.amount');
    bar.style.width = `${Math.max(0, Math.min(1, (value ?? 0) / this.most)) * 100}%`;
    return [element('span', {}, reward(value)), element('span.track', { 'aria-hidden': true }, bar)];
  }

  open(rollout) {
    location.hash = this.hashOf(rollout);
  }

  links() {
    return [...this.body.querySelectorAll('td.task a')];
  }

  /** Moves the focus by one row, also to the next page. */
  move(step) {
    const links = this.links();
    const from = links.indexOf(document.activeElement?.closest?.('tr')?.querySelector('td.task a'));
    const to = from === -1 ? (step > 0 ? 0 : -1) : from + step;
    if (to >= 0 && to < links.length) return focus(links[to]);
    const page = this.page + step;
    if (from === -1 || page < 0 || page * PAGE >= this.found.length) return;
    this.turn(page);
    focus(this.links().at(step > 0 ? 0 : -1));
  }

  /** Focuses a rollout that was open, on its page. */
  focusOn(rollout) {
    const at = this.found.indexOf(rollout);
    if (at === -1) return;
    const page = Math.floor(at / PAGE);
    if (page !== this.page) this.turn(page);
    focus(this.links()[at % PAGE]);
  }

  /** The rollout before or after one in the list, and its position. */
  around(rollout) {
    const at = this.found.indexOf(rollout);
    return {
      at,
      previous: this.found[at - 1],
      next: at === -1 ? this.found[0] : this.found[at + 1],
      count: this.found.length,
    };
  }
}

function focus(link) {
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: 'nearest' });
}
