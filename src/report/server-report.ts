import { plural } from '../display-text.js';
import { LIMITS, overLimit } from '../limits.js';
import {
  type RowLength,
  readRows,
  readServerFolder,
  rowLength,
  type ServerFolder,
  tokensOf,
} from '../written/index.js';
import { chart } from './charts.js';
import { type Spread, spread } from './estimates.js';
import type { Figure } from './figures.js';
import { formatAmount } from './format.js';
import type { Page } from './page.js';
import type { ReportOptions } from './rollouts-report.js';
import { textOf } from './values.js';
import { shortText } from './visible-text.js';

/** Rows and toolsets that are named. */
const NAMED = 10;
const TOOLSETS = 200;

/** The rows of one split. Lengths are in characters. */
export interface SplitReport {
  name: string;
  rows: number;
  /** Messages of a row, without its tools. */
  prompt?: Spread;
  /** JSON of the tools of a row. */
  tools?: Spread;
  unreadable: number;
}

export interface ServerReport {
  page: Page;
  name: string;
  splits: SplitReport[];
  toolsets: { key: string; tools: string[]; turns: number }[];
  /** Rows that are longer than the limit at 4 characters per token. */
  overLimit?: { count: number; longest: { row: string; tokens: number }[] };
}

interface Row extends RowLength {
  name: string;
}

/** Reads the rows and toolsets of a written server. @throws UserError if gymgen did not write the folder */
export async function reportServer(folder: string, { limit, signal, progress }: ReportOptions): Promise<ServerReport> {
  const server = await readServerFolder(folder);
  const splits: { report: SplitReport; rows: Row[] }[] = [];
  for (const { split, path } of server.rowFiles) {
    const rows: Row[] = [];
    let unreadable = 0;
    for await (const line of readRows(path)) {
      signal.throwIfAborted();
      if ('problem' in line) unreadable += 1;
      else rows.push(measured(line.row, `${split} ${line.line - 1}`));
      if (rows.length > LIMITS.reportRollouts) throw overLimit('reportRollouts', { where: path });
      if (rows.length % 1000 === 0) progress({ phase: 'read', from: split, unit: 'rows', done: rows.length });
    }
    splits.push({ report: reportOf(split, rows, unreadable), rows });
  }
  const all = splits.flatMap(({ rows }) => rows);
  const over = limit === undefined ? undefined : overLimitOf(all, limit);
  const reports = splits.map(({ report }) => report);
  const toolsets = server.toolsets.map(({ key, tools, turns }) => {
    return { key: shortText(key), tools: tools.map(({ name }) => shortText(name, 64)), turns: turns.length };
  });
  return {
    page: pageOf(server, reports, all, limit, over),
    name: server.name,
    splits: reports,
    toolsets,
    ...(over ? { overLimit: over } : {}),
  };
}

function measured(row: Record<string, unknown>, place: string): Row {
  const id = textOf(row.task_id);
  return { name: shortText(id === undefined ? place : `${place} · ${id}`), ...rowLength(row) };
}

function reportOf(name: string, rows: readonly Row[], unreadable: number): SplitReport {
  const prompt = spread(rows.map((row) => row.prompt));
  const tools = spread(rows.map((row) => row.tools));
  return { name, rows: rows.length, ...(prompt ? { prompt } : {}), ...(tools ? { tools } : {}), unreadable };
}

function overLimitOf(rows: readonly Row[], limit: number): NonNullable<ServerReport['overLimit']> {
  const over = rows.filter((row) => tokensOf(row) > limit).sort((one, other) => tokensOf(other) - tokensOf(one));
  return {
    count: over.length,
    longest: over.slice(0, NAMED).map((row) => ({ row: row.name, tokens: tokensOf(row) })),
  };
}

function pageOf(
  server: ServerFolder,
  splits: readonly SplitReport[],
  rows: readonly Row[],
  limit: number | undefined,
  over: ServerReport['overLimit'],
): Page {
  const unreadable = splits.reduce((sum, split) => sum + split.unreadable, 0);
  const options = { whole: true, unit: 'row' };
  return {
    title: server.name,
    about: `${plural(rows.length, 'row')} in ${plural(splits.length, 'split')}, ${plural(server.toolsets.length, 'toolset')}`,
    notices: unreadable > 0 ? [`${plural(unreadable, 'line')} could not be read as rows`] : [],
    figures: figuresOf(server, rows, splits),
    charts: [
      chart('prompt', 'Characters of the prompt', [rows.map(({ prompt }) => prompt)], options),
      chart('tools', 'Characters of the tools', [rows.map(({ tools }) => tools)], options),
      chart('tokens', 'Tokens, at 4 characters each', [rows.map(tokensOf)], { ...options, limit }),
    ].flatMap((each) => each ?? []),
    bars: [],
    tables: [
      splitTable(splits),
      ...(over && over.count > 0 ? [overTable(over, limit as number)] : []),
      toolsetTable(server),
      toolTable(server),
    ],
    rollouts: false,
    index: {},
  };
}

function figuresOf(server: ServerFolder, rows: readonly Row[], splits: readonly SplitReport[]): Figure[] {
  const prompt = spread(rows.map((row) => row.prompt));
  const tools = new Set(server.toolsets.flatMap((toolset) => toolset.tools.map(({ name }) => name)));
  const amount = (number: number | undefined) => (number === undefined ? '–' : formatAmount(Math.round(number)));
  return [
    { name: 'Rows', value: formatAmount(rows.length), note: `in ${plural(splits.length, 'split')}` },
    { name: 'Median prompt', value: amount(prompt?.median), note: 'characters' },
    { name: 'Longest prompt', value: amount(prompt?.most), note: 'characters' },
    { name: 'Toolsets', value: formatAmount(server.toolsets.length), note: 'found by probing' },
    { name: 'Tools', value: formatAmount(tools.size), note: 'different names' },
  ];
}

function splitTable(splits: readonly SplitReport[]): Page['tables'][number] {
  return {
    title: 'Splits',
    note: 'lengths in characters',
    heads: ['split', 'rows', 'shortest prompt', 'median', 'longest', 'tools'],
    rows: splits.map(({ name, rows, prompt, tools }) => [
      name,
      formatAmount(rows),
      ...[prompt?.least, prompt?.median, prompt?.most, tools?.median].map((length) =>
        length === undefined ? '–' : formatAmount(Math.round(length)),
      ),
    ]),
  };
}

function overTable({ count, longest }: NonNullable<ServerReport['overLimit']>, limit: number): Page['tables'][number] {
  return {
    title: 'Rows over the limit',
    note: `${plural(count, 'row')} over ${formatAmount(limit)} tokens at 4 characters per token; one such row can end a training run`,
    heads: ['row', 'tokens'],
    rows: longest.map(({ row, tokens }) => [row, formatAmount(tokens)]),
  };
}

function toolsetTable({ toolsets }: ServerFolder): Page['tables'][number] {
  return {
    title: 'Toolsets',
    note:
      toolsets.length > TOOLSETS
        ? `the first ${TOOLSETS} of ${formatAmount(toolsets.length)}`
        : 'the tools of each turn',
    heads: ['toolset', 'turn', 'tools'],
    rows: toolsets
      .slice(0, TOOLSETS)
      .flatMap(({ key, turns }) =>
        turns.map((names, at) => [shortText(key), String(at + 1), shortText(names.join(', '), 1000)]),
      ),
  };
}

function toolTable({ toolsets }: ServerFolder): Page['tables'][number] {
  const tools = new Map(
    toolsets.flatMap((toolset) => toolset.tools.map((tool) => [tool.name, tool.description ?? ''])),
  );
  return {
    title: 'Tools',
    note: tools.size > TOOLSETS ? `the first ${TOOLSETS} of ${formatAmount(tools.size)}` : 'as the rows offer them',
    heads: ['tool', 'description'],
    rows: [...tools]
      .slice(0, TOOLSETS)
      .map(([name, description]) => [shortText(name, 64), shortText(description, 1000)]),
  };
}
