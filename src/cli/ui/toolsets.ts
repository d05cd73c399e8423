import type { Toolset } from '../../discover/index.js';
import type { Generated } from '../../operations/generate.js';

/** Maximum number of groups of toolsets in a summary. */
const SHOWN_GROUPS = 8;
/** Width of a column of names; longer names are not aligned. */
export const WIDEST = 32;

/** The tools of all toolsets in one line. */
export function toolsetSummary(toolsets: Generated['toolsets']): string {
  const names = ({ tools }: Generated['toolsets'][number]) => tools.join(', ') || 'no tools';
  const groups = grouped(toolsets, names);
  const count = `${toolsets.length} ${toolsets.length === 1 ? 'toolset' : 'toolsets'}`;
  const [first, ...others] = groups;
  if (first && first.length > 1 && others.length === 0) return `${count} with the same tools: ${names(first[0])}`;
  const shown = groups
    .slice(0, SHOWN_GROUPS)
    .map((group) => names(group[0]) + (group.length > 1 ? ` (${group.length} toolsets)` : ''));
  return `${count}: ${shown.join(' | ')}${groups.length > SHOWN_GROUPS ? ' | …' : ''}`;
}

/** The tools of toolsets with the same tools, one a line, with their descriptions. */
export function toolsetDetails([{ key, turns }, ...others]: readonly [Toolset, ...Toolset[]]): string[] {
  const tools = new Map(turns.flat().map((tool) => [tool.name, tool.description]));
  const name =
    others.length === 0
      ? `toolset ${key}`
      : `${others.length + 1} toolsets with the same tools (${key} and ${others.length} more)`;
  const of = turns.length === 1 ? '' : `, ${turns.length} turns`;
  const width = [...tools.keys()].reduce((widest, tool) => Math.max(widest, Math.min(tool.length, WIDEST)), 0);
  return [
    `${name}: ${tools.size} ${tools.size === 1 ? 'tool' : 'tools'}${of}`,
    ...[...tools].map(([tool, description]) => `  ${tool.padEnd(width)}  ${firstLine(description)}`.trimEnd()),
  ];
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}

/** Toolsets with the same key, in the order of the first one. */
export function grouped<T>(toolsets: readonly T[], keyOf: (toolset: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const toolset of toolsets) {
    const key = keyOf(toolset);
    const group = groups.get(key);
    if (group) group.push(toolset);
    else groups.set(key, [toolset]);
  }
  return [...groups.values()];
}
