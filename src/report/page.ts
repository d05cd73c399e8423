import { createHash } from 'node:crypto';
import Handlebars from 'handlebars';
import template from '../../templates/report/page.html.hbs';
import { SCRIPT, STYLE } from './assets.js';
import { packed } from './blocks.js';
import type { Bars, Chart } from './charts.js';
import type { Comparison, Figure } from './figures.js';
import { HIDDEN, visibleText } from './visible-text.js';

/** Marks a file as a report: without --force, gymgen replaces only such files. */
export const MARK = '<meta name="generator" content="gymgen report">';

export const END = '</body>\n</html>\n';

/** The content of a page, from top to bottom. */
export interface Page {
  title: string;
  about: string;
  notices: string[];
  figures?: Figure[];
  comparison?: Comparison;
  charts: Chart[];
  bars: Bars[];
  timeline?: { title: string; note: string; label: string };
  tables: { title: string; note: string; heads: string[]; rows: string[][] }[];
  /** Whether there is a list of rollouts. */
  rollouts: boolean;
  /** What the script needs besides the charts. */
  index: object;
}

const handlebars = Handlebars.create();

/** A template writes a value only through one of these, so that text of servers and models is never markup. */
handlebars.registerHelper({
  html: (value: unknown) =>
    visibleText(checked(value)).replace(/[&<>"']/g, (character) => ENTITIES[character] as string),
  url: (value: unknown) => encodeURIComponent(visibleText(checked(value))),
  number: (value: unknown) => only(/^\d+(?:\.\d+)?$/, String(value)),
  word: (value: unknown) => only(/^[a-z-]+$/, checked(value)),
  /** A text of gymgen's own, or base64. */
  text: (value: unknown) => checked(value),
  hash: (value: unknown) => createHash('sha256').update(checked(value)).digest('base64'),
});

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function checked(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`the page lacks a text: it has ${JSON.stringify(value)}`);
  return value;
}

function only(pattern: RegExp, value: string): string {
  if (!pattern.test(value)) throw new Error(`a template of the page got ${JSON.stringify(value)}`);
  return value;
}

/** The page up to the blocks of conversations, which are followed by `END`. */
export async function renderPage({ index, charts, ...page }: Page): Promise<string> {
  const data = Object.fromEntries(charts.map(({ key, data }) => [key, data]));
  return handlebars.template(template)({
    figures: undefined,
    comparison: undefined,
    timeline: undefined,
    ...page,
    hasChange: page.comparison?.change ?? false,
    charts,
    style: STYLE,
    script: SCRIPT,
    index: await packed({ hidden: HIDDEN.source, charts: data, files: [], ...index }),
  });
}
