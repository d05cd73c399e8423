import { LIMITS, overLimit } from '../limits.js';
import type { Tool, Toolset } from '../model.js';

/**
 * Checks the tools of one turn.
 * @param where the source of the tools, for the message
 * @returns the same tools
 * @throws UserError naming the exceeded limit
 */
export function withinLimits<T extends Tool>(tools: T[], where: string): T[] {
  if (tools.length > LIMITS.toolsPerTurn) throw overLimit('toolsPerTurn', { where });
  let bytes = 0;
  for (const { name, description, parameters } of tools) {
    const tool = `${where}, tool '${name.slice(0, 80)}'`;
    const [described, schema] = [Buffer.byteLength(description), Buffer.byteLength(parameters)];
    if (schema > LIMITS.schemaBytes) throw overLimit('schemaBytes', { where: tool });
    if (described > LIMITS.descriptionBytes) throw overLimit('descriptionBytes', { where: tool });
    bytes += Buffer.byteLength(name) + described + schema;
  }
  if (bytes > LIMITS.turnBytes) throw overLimit('turnBytes', { where });
  return tools;
}

/** Counts the toolsets of one source. */
export class ToolsetCounter {
  private count = 0;
  private bytes = 0;

  /** @param where the source, for messages */
  constructor(private readonly where: string) {}

  /** @throws UserError naming the limit that the toolsets exceed */
  add(turns: Toolset['turns']): void {
    this.count += 1;
    if (this.count > LIMITS.toolsets) throw overLimit('toolsets', { where: this.where });
    if (turns.length > LIMITS.turns) throw overLimit('turns', { where: this.where });
    for (const turn of turns) {
      for (const { name, description, parameters } of turn) {
        this.bytes += name.length + description.length + parameters.length;
      }
    }
    if (this.bytes > LIMITS.toolsetsBytes) throw overLimit('toolsetsBytes', { where: this.where });
  }
}
