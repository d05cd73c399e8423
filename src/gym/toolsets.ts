import { safeJson } from '../display-text.js';
import { members } from '../json/members.js';
import type { GymOptions, JsonText, TaskRef, Tool, Toolset } from '../model.js';
import {
  type Finding,
  type Findings,
  jsonProblem,
  quote,
  renamesUnmatched,
  renameTaken,
  toolClash,
  toolCount,
  toolDescription,
  toolDuplicates,
  toolName,
  toolParameters,
  toolSchema,
} from '../rules/index.js';
import { rowTaskId, toolJson } from './row-format.js';

/** A toolset as rows and `toolsets.json` have it. */
export interface GymTools {
  /** Each tool as JSON, in the order in which the turns first offer them. */
  tools: string[];
  /** The tool names of each turn, as rows have them. */
  turns: string[][];
  findings: Finding[];
}

/** Checks the tools of a toolset, merges its turns and applies renames. */
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
          ...toolDescription(tool),
          ...toolParameters(tool),
          ...toolSchema(tool),
          ...renameTaken(tool.name, renameTools),
        );
      }
    }
  }
  findings.push(...toolCount(union.size, `toolset ${quote(toolset.key)}`));
  return {
    tools: [...union.values()].map((tool) => toolJson(rowName(tool.name), tool)),
    turns: toolset.turns.map((turn) => turn.map(({ name }) => rowName(name))),
    findings,
  };
}

/**
 * A tool's parameters as rows have them. Some models' chat templates need `properties`, so `{}` and an object without them
 * become `{"type":"object","properties":{}}` with their own keys. Anything else keeps its exact text: the model must see what
 * the server checks. The bridge ignores this difference when it compares toolsets.
 */
function rowParameters(parameters: JsonText): JsonText {
  if (jsonProblem(parameters) !== undefined || !parameters.trimStart().startsWith('{')) return parameters;
  const own = members(parameters);
  const type = own.get('type') ?? '"object"';
  if (own.has('properties') || type !== '"object"') return parameters;
  own.delete('type');
  const rest = [...own].map(([key, value]) => `,${JSON.stringify(key)}:${value}`).join('');
  return `{"type":"object","properties":{}${rest}}`;
}

/** The JSON of each toolset. A toolset is checked and encoded once, when its first task is read. */
export class ToolsetTexts {
  private readonly known = new Map<Toolset, GymTools & { json: string }>();
  private readonly serverNames = new Set<string>();

  constructor(
    private readonly options: GymOptions,
    private readonly findings: Findings,
  ) {}

  /** The toolset's tools as a JSON array, for a row. */
  json(toolset: Toolset): string {
    return this.get(toolset).json;
  }

  private get(toolset: Toolset): GymTools & { json: string } {
    const known = this.known.get(toolset);
    if (known !== undefined) return known;
    const tools = gymTools(toolset, this.options.renameTools);
    this.findings.add(tools.findings);
    for (const tool of toolset.turns.flat()) this.serverNames.add(tool.name);
    const texts = { ...tools, json: `[${tools.tools.join(',')}]` };
    this.known.set(toolset, texts);
    return texts;
  }

  /** Adds the findings that need all toolsets. */
  finish(toolsets: readonly Toolset[]): void {
    for (const toolset of toolsets) this.get(toolset);
    this.findings.add(renamesUnmatched(this.options.renameTools, this.serverNames));
  }

  /** `toolsets.json`, for the bridge and for people: one tool a line. */
  file(toolsets: readonly Toolset[]): string {
    const blocks = toolsets.map((toolset) => {
      const { tools, turns } = this.get(toolset);
      return [
        '    {',
        `      "key": ${safeJson(toolsetKey(toolset.key, this.options.fullIds))},`,
        `      "tasks": ${jsonLines(toolset.tasks.map((task) => this.task(task)))},`,
        `      "turns": ${jsonLines(turns.map((turn) => safeJson(turn)))},`,
        `      "tools": ${jsonLines(tools)}`,
        '    }',
      ].join('\n');
    });
    const all = blocks.length === 0 ? '[]' : `[\n${blocks.join(',\n')}\n  ]`;
    return `{\n  "format": 1,\n  "toolsets": ${all}\n}\n`;
  }

  private task({ split, index, id }: TaskRef): string {
    return safeJson({ split, index, id: rowTaskId(id, this.options.fullIds) });
  }
}

/** A key as files have it: the id of a task in it is shortened as in rows. */
export function toolsetKey(key: string, fullIds: boolean): string {
  return key.startsWith('task:') ? `task:${rowTaskId(key.slice('task:'.length), fullIds)}` : key;
}

/** A JSON array with one item a line. */
function jsonLines(items: readonly string[]): string {
  return items.length === 0 ? '[]' : `[\n${items.map((item) => `        ${item}`).join(',\n')}\n      ]`;
}
