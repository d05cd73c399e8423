// The script of the page that `gymgen report` writes. The page's address has its state: `#filter=…&sort=…`, and
// `#file=2&line=17` for an open rollout.

import { histogram, rewardsByTask } from './chart.js';
import { readIndex } from './data.js';
import { hideCharacters } from './dom.js';
import { List } from './list.js';
import { showRollout } from './rollout.js';

const overview = document.getElementById('overview');
const page = document.getElementById('rollout');
const filter = document.getElementById('filter');
const sort = document.getElementById('sort');
const title = document.title;
let index;
let list;
let opened; // the rollout on the page
let listed; // the filter and the order of the list
let scrolled = 0;

/** The state in the address. */
function state() {
  const values = new URLSearchParams(location.hash.slice(1));
  return {
    filter: values.get('filter') ?? '',
    sort: values.get('sort') ?? '',
    file: values.get('file'),
    line: values.get('line'),
  };
}

function hashOf({ filter, sort }, rollout) {
  const values = new URLSearchParams();
  if (rollout && index.files.length > 1) values.set('file', rollout.file + 1);
  if (rollout) values.set('line', rollout.line);
  if (filter) values.set('filter', filter);
  if (sort) values.set('sort', sort);
  return `#${values}`;
}

function named({ file, line }) {
  if (line === null) return undefined;
  return index.rollouts.find((rollout) => rollout.line === Number(line) && rollout.file === Number(file ?? 1) - 1);
}

/** Shows the state in the address. */
async function route() {
  const now = state();
  if (list && listed !== `${now.filter}\n${now.sort}`) {
    if (filter.value !== now.filter) filter.value = now.filter;
    sort.value = now.sort;
    list.show(now.filter, now.sort);
    if (
      listed !== undefined &&
      now.line === null &&
      document.activeElement !== filter &&
      document.activeElement !== sort
    ) {
      document.getElementById('list').scrollIntoView({ block: 'start' });
    }
    listed = `${now.filter}\n${now.sort}`;
  }
  const rollout = named(now);
  if (rollout && !opened) scrolled = scrollY;
  const before = opened;
  opened = rollout;
  overview.hidden = Boolean(rollout);
  page.hidden = !rollout;
  document.title = rollout ? `${rollout.label} – ${title}` : title;
  if (rollout) {
    await showRollout(rollout, {
      files: index.files,
      around: list.around(rollout),
      hashOf: (each) => hashOf(now, each),
      back: hashOf(now),
    });
  } else if (before) {
    page.replaceChildren();
    scrollTo(0, scrolled);
    list.focusOn(before);
  }
}

function onKey(event) {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.matches('input, select')) {
    if (key === 'Escape' && target === filter) filter.blur();
    if (key === 'Enter' && target === filter) list.move(1);
    return;
  }
  const step = { j: 1, k: -1 }[key];
  const current = named(state()); // from the address, because the page may not show it yet
  if (key === '/' && list) {
    event.preventDefault();
    if (current) location.hash = hashOf(state());
    setTimeout(() => filter.focus());
  } else if (key === 'Escape' && current) {
    location.hash = hashOf(state());
  } else if (step && current) {
    const { previous, next } = list.around(current);
    const to = step > 0 ? next : previous;
    if (to) location.replace(hashOf(state(), to));
  } else if (step && list) {
    list.move(step);
  }
}

function drawCharts() {
  for (const section of document.querySelectorAll('[data-chart]')) {
    const key = section.dataset.chart;
    if (key === 'tasks') {
      rewardsByTask(section, index.rollouts, index.tasks, (rollout) => {
        location.hash = hashOf(state(), rollout);
      });
    } else {
      const round = (number) => String(Number(number.toPrecision(10)));
      histogram(section, index.charts[key], (low, high, isLast) => {
        if (list) location.hash = hashOf({ filter: `${key}:${round(low)}..${round(high)}${isLast ? ']' : ''}` });
      });
    }
  }
}

let typing;
filter?.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(() => location.replace(hashOf({ ...state(), filter: filter.value.trim() }) || '#'), 120);
});
sort?.addEventListener('change', () => location.replace(hashOf({ ...state(), sort: sort.value })));

async function start() {
  index = await readIndex();
  hideCharacters(index.hidden);
  if (filter) list = new List(index, (rollout) => hashOf(state(), rollout));
  addEventListener('hashchange', route);
  addEventListener('keydown', onKey);
  drawCharts();
  await route();
  document.documentElement.dataset.ready = '';
}

start();
