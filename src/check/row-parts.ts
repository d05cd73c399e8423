import { hasTooManyValues } from '../json/bounds.js';
import type { FieldChange } from './difference.js';
import { memberChanges, promptChanges, type Row, SPELT, toolChanges } from './row-fields.js';

const START = '{"responses_create_params":{"input":';
const TOOLS = '],"tools":[';
const REST = ']},"agent_ref":{';
/** Toolsets whose changes are kept: a change of one is in each row that has it. */
const KEPT = 64;

/** A row's text in three, which together are all that varies in it. */
interface Parts {
  input: string;
  tools: string;
  rest: string;
}

/**
 * What differs between two rows, found by reading no more of them than the parts that do: a file of which each row differs
 * is compared about as fast as it is written.
 */
export class RowParts {
  private readonly tools = new Map<string, FieldChange[]>();

  /** Undefined where one of them isn't spelt as gymgen spells rows, so that it must be read as a whole. */
  changes(before: string, after: string): FieldChange[] | undefined {
    if (hasTooManyValues(before)) return undefined;
    const [old, fresh] = [partsOf(before), partsOf(after)];
    if (!old || !fresh) return undefined;
    try {
      const changes = [
        ...(old.input === fresh.input ? [] : promptChanges(JSON.parse(old.input), JSON.parse(fresh.input))),
        ...(old.tools === fresh.tools ? [] : this.toolChanges(old.tools, fresh.tools)),
        ...(old.rest === fresh.rest ? [] : memberChanges(restOf(old), restOf(fresh))),
      ];
      return changes.length > 0 ? changes : SPELT;
    } catch {
      return undefined;
    }
  }

  private toolChanges(before: string, after: string): FieldChange[] {
    const key = `${before}\n${after}`;
    const known = this.tools.get(key);
    if (known) return known;
    const changes = toolChanges(JSON.parse(before), JSON.parse(after));
    if (this.tools.size === KEPT) this.tools.clear();
    this.tools.set(key, changes);
    return changes;
  }
}

/**
 * Cuts where the marks are found. What is cut elsewhere, since a prompt's or a reset's own JSON has such a mark too, is no
 * JSON in one of its parts, or the same in both rows.
 */
function partsOf(text: string): Parts | undefined {
  const tools = text.indexOf(TOOLS);
  const rest = text.lastIndexOf(REST);
  if (!text.startsWith(START) || tools === -1 || rest < tools) return undefined;
  return {
    input: text.slice(START.length, tools + 1),
    tools: text.slice(tools + TOOLS.length - 1, rest + 1),
    rest: text.slice(rest + REST.length),
  };
}

function restOf({ rest }: Parts): Row {
  return JSON.parse(`{"agent_ref":{${rest}`);
}
