import type { GymOptions, Tool, Toolset } from '../model.js';
import {
  type Finding,
  quote,
  renameTaken,
  toolClash,
  toolCount,
  toolDuplicates,
  toolJson,
  toolName,
  toolSchema,
} from '../rules/index.js';
import { joinedLines, jsonLine } from './json-line.js';
import { rowParameters } from './parameters.js';

/** A toolset as rows and `toolsets.json` have it. */
export interface GymTools {
  /** Each tool as one JSON text, in the order in which the turns first offer them. */
  tools: string[];
  /** The names of each turn, as the rows have them. */
  turns: string[][];
  findings: Finding[];
}

/**
 * Serialised once a toolset, not once a row. A schema's JSON stays as the server wrote it, except for what `rowParameters`
 * adds: the model must see what the server checks, and a rebuilt schema loses enums, references and numbers beyond 2^53.
 */
export function gymTools(toolset: Toolset, renameTools: GymOptions['renameTools']): GymTools {
  const rowName = (name: string): string => (Object.hasOwn(renameTools, name) ? (renameTools[name] as string) : name);
  const union = new Map<string, Tool>();
  const findings: Finding[] = [];
  for (const turn of toolset.turns) {
    findings.push(...toolDuplicates(turn, rowName));
    for (const offered of turn) {
      const tool = { ...offered, parameters: rowParameters(offered.parameters) };
      const first = union.get(tool.name);
      if (first !== undefined) findings.push(...toolClash(toolset.key, first, tool));
      else {
        union.set(tool.name, tool);
        findings.push(
          ...toolName(rowName(tool.name), tool.name),
          ...toolJson(tool),
          ...toolSchema(tool),
          ...renameTaken(tool.name, renameTools),
        );
      }
    }
  }
  findings.push(...toolCount(union.size, `toolset ${quote(toolset.key)}`));
  return {
    tools: [...union.values()].map((tool) => toolText(rowName(tool.name), tool)),
    turns: toolset.turns.map((turn) => turn.map(({ name }) => rowName(name))),
    findings,
  };
}

function toolText(name: string, { description, parameters }: Tool): string {
  const named = `"name":${jsonLine(name)},"description":${jsonLine(description)}`;
  return `{"type":"function",${named},"parameters":${joinedLines(parameters)},"strict":false}`;
}
