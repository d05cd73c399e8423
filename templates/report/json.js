// Lays out JSON. It is parsed here because JSON.parse would change numbers, such as 2^63 and 1.0.

import { element } from './dom.js';

const DEEPEST = 40;
/** Minimum number of items for numbered cells, such as those of a schedule of 24 hours. */
const CELLS = 6;
const COLUMNS = 12;

/**
 * @typedef {{ kind: 'object', entries: [string, Value][] } | { kind: 'array', items: Value[] }
 *   | { kind: 'string', text: string } | { kind: 'number' | 'word', text: string }} Value
 */

/**
 * Parses an object or array, and keeps the spelling of numbers.
 * @returns {Value | undefined} undefined for any other text
 */
export function parseJson(text) {
  try {
    if (!/^\s*[[{]/.test(text)) return undefined;
    JSON.parse(text); // so that the parser below need not check the grammar
    return new Parser(text).value(0);
  } catch {
    return undefined;
  }
}

class Parser {
  constructor(text) {
    this.tokens = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g) ?? [];
    this.at = 0;
  }

  value(depth) {
    if (depth > DEEPEST) throw new Error('nested too deeply');
    const token = this.tokens[this.at++];
    if (token === '[') return { kind: 'array', items: this.list(']', () => this.value(depth + 1)) };
    if (token === '{') {
      const entry = () => {
        const key = JSON.parse(this.tokens[this.at]);
        this.at += 2; // the key and its colon
        return [key, this.value(depth + 1)];
      };
      return { kind: 'object', entries: this.list('}', entry) };
    }
    if (token.startsWith('"')) return { kind: 'string', text: JSON.parse(token) };
    return { kind: /^[-\d]/.test(token) ? 'number' : 'word', text: token };
  }

  list(end, item) {
    const items = [];
    while (this.tokens[this.at] !== end) {
      items.push(item());
      if (this.tokens[this.at] === ',') this.at += 1;
    }
    this.at += 1;
    return items;
  }
}

/** @param {Value} value */
export function layOut(value) {
  if (value.kind === 'object') return objectNode(value.entries);
  if (value.kind === 'array') return arrayNode(value.items);
  return element(`span.${value.kind}`, {}, value.text);
}

function objectNode(entries) {
  if (entries.length === 0) return element('span.word', {}, '{}');
  const rows = entries.flatMap(([key, value]) => [element('dt', {}, key), element('dd', {}, layOut(value))]);
  return element('dl.object', {}, ...rows);
}

function arrayNode(items) {
  if (items.length === 0) return element('span.word', {}, '[]');
  if (items.every(({ kind }) => kind === 'number')) return numbersNode(items);
  if (items.every(isScalar)) return element('ul.items', {}, ...items.map((item) => element('li', {}, layOut(item))));
  const columns = columnsOf(items);
  if (columns) return tableNode(items, columns);
  return element('ol.items', {}, ...items.map((item) => element('li', {}, layOut(item))));
}

/** Cells in groups of six, so that lines break after 6, 12, 18 or 24. */
function numbersNode(items) {
  const cells = items.map((item) => element('span.cell', {}, layOut(item), ' '));
  const groups = cells.flatMap((_, at) => (at % 6 === 0 ? [element('div.six', {}, ...cells.slice(at, at + 6))] : []));
  const node = element(items.length < CELLS ? 'div.cells' : 'div.cells.numbered', {}, ...groups);
  const widest = items.reduce((most, { text }) => Math.max(most, text.length), String(items.length - 1).length);
  node.style.setProperty('--cell', `${widest}ch`);
  return node;
}

function isScalar({ kind }) {
  return kind !== 'object' && kind !== 'array';
}

/** The columns, if objects can be shown as a table: at least two objects of scalars, with few different keys. */
function columnsOf(items) {
  if (items.length < 2) return undefined;
  if (!items.every(({ kind, entries }) => kind === 'object' && entries.every(([, value]) => isScalar(value))))
    return undefined;
  const keys = [...new Set(items.flatMap(({ entries }) => entries.map(([key]) => key)))];
  return keys.length > 0 && keys.length <= COLUMNS ? keys : undefined;
}

function tableNode(items, columns) {
  const rows = items.map(({ entries }) => {
    const values = new Map(entries);
    return element(
      'tr',
      {},
      ...columns.map((key) => element('td', {}, values.has(key) ? layOut(values.get(key)) : '')),
    );
  });
  const head = element('tr', {}, ...columns.map((key) => element('th', { scope: 'col' }, key)));
  return element(
    'div.scroll',
    { tabindex: 0, role: 'region', 'aria-label': 'Table' },
    element('table.data', {}, element('thead', {}, head), element('tbody', {}, ...rows)),
  );
}
