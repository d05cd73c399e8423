import { formatCount } from '../../display-text.js';
import { inspectDocument } from '../../documents/inspect.js';
import type { Inspection } from '../../operations/inspect.js';
import { describe } from '../../rules/index.js';
import type { Terminal } from './terminal.js';
import { grouped, toolsetDetails, WIDEST } from './toolsets.js';

/** Entries shown of a list, which may have thousands. */
const SHOWN = 20;

/** Shows what a source serves and what NeMo Gym would reject. */
export function showInspection(inspection: Inspection, terminal: Terminal): void {
  const { envName, name, splits, toolsets, notes, refused, warnings, counts } = inspection;
  const groups = grouped(toolsets, ({ turns }) => JSON.stringify(turns));
  const lines = [
    `environment  ${envName}${name === envName ? '' : ` (written as ${name})`}`,
    `interface    ${inspection.interface === 'action' ? 'one action, which becomes the tool step' : 'tools'}`,
    ...notes.map((note) => `found        ${note}`),
    '',
    ...splitLines(splits),
    '',
    ...few(groups).flatMap(toolsetDetails),
    ...more(groups, 'toolsets'),
  ];
  for (const line of lines) terminal.result(line);
  if (refused.length > 0) {
    terminal.result('');
    terminal.result('NeMo Gym would reject:');
    for (const finding of refused) terminal.result(`- ${describe(finding)}`);
  }
  if (warnings.length > 0) {
    terminal.result('');
    terminal.result('warnings:');
    for (const finding of warnings) terminal.result(`- ${describe(finding)}`);
  }
  terminal.detail(`${counts.requests} requests, ${counts.bytes} bytes, ${counts.sessions} sessions`);
  terminal.document(inspectDocument(inspection));
}

function splitLines(splits: Inspection['splits']): string[] {
  const width = Math.max('split'.length, ...few(splits).map((split) => Math.min(split.name.length, WIDEST)));
  const line = (name: string, count: string, prompts: string) =>
    `${name.padEnd(width)}  ${count.padStart(9)}  ${prompts}`;
  return [
    line('split', 'tasks', 'characters per prompt'),
    ...few(splits).map(({ name, count, prompts: { shortest, mean, longest } }) =>
      line(
        name,
        formatCount(count),
        `${formatCount(shortest)} to ${formatCount(longest)}, ${formatCount(mean)} on average`,
      ),
    ),
    ...more(splits, 'splits'),
  ];
}

function few<T>(items: readonly T[]): readonly T[] {
  return items.slice(0, SHOWN);
}

function more(items: readonly unknown[], what: string): string[] {
  return items.length > SHOWN ? [`and ${items.length - SHOWN} more ${what}`] : [];
}
