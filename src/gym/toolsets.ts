import type { GymOptions, Toolset } from '../model.js';
import { type Findings, renamesUnmatched } from '../rules/index.js';
import { jsonLine } from './json-line.js';
import { rowId } from './task-id.js';
import { type GymTools, gymTools } from './tools.js';

/** Each toolset's text, made when it is first met, which is also when its tools are looked at. */
export class ToolsetTexts {
  private readonly made = new Map<Toolset, GymTools & { text: string }>();
  private readonly serverNames = new Set<string>();

  constructor(
    private readonly options: GymOptions,
    private readonly findings: Findings,
  ) {}

  /** The toolset's tools as a JSON array, as a row has it. */
  of(toolset: Toolset): string {
    return this.get(toolset).text;
  }

  private get(toolset: Toolset): GymTools & { text: string } {
    const known = this.made.get(toolset);
    if (known !== undefined) return known;
    const tools = gymTools(toolset, this.options.renameTools);
    this.findings.add(tools.findings);
    for (const tool of toolset.turns.flat()) this.serverNames.add(tool.name);
    const made = { ...tools, text: `[${tools.tools.join(',')}]` };
    this.made.set(toolset, made);
    return made;
  }

  /** What can be said once all toolsets are known. */
  finish(toolsets: readonly Toolset[]): void {
    for (const toolset of toolsets) this.get(toolset);
    this.findings.add(renamesUnmatched(this.options.renameTools, this.serverNames));
  }

  /** `toolsets.json`, which the bridge and people read: what was learnt by playing which tasks, a tool a line. */
  file(toolsets: readonly Toolset[]): string {
    const { fullIds } = this.options;
    const blocks = toolsets.map((toolset) => {
      const { tools, turns } = this.get(toolset);
      const tasks = toolset.tasks.map(({ split, index, id }) => jsonLine({ split, index, id: rowId(id, fullIds) }));
      return [
        '    {',
        `      "key": ${jsonLine(key(toolset.key, fullIds))},`,
        `      "tasks": ${list(tasks)},`,
        `      "turns": ${list(turns.map(jsonLine))},`,
        `      "tools": ${list(tools)}`,
        '    }',
      ].join('\n');
    });
    const all = blocks.length === 0 ? '[]' : `[\n${blocks.join(',\n')}\n  ]`;
    return `{\n  "format": 1,\n  "toolsets": ${all}\n}\n`;
  }
}

function key(toolsetKey: string, fullIds: boolean): string {
  return toolsetKey.startsWith('task:') ? `task:${rowId(toolsetKey.slice('task:'.length), fullIds)}` : toolsetKey;
}

function list(items: string[]): string {
  return items.length === 0 ? '[]' : `[\n${items.map((item) => `        ${item}`).join(',\n')}\n      ]`;
}
