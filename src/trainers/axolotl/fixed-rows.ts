import { safeJson } from '../../display-text.js';
import { UserError } from '../../errors.js';
import { isRecord } from '../../json/guards.js';
import { readRows } from '../../written/index.js';
import type { AxolotlNames } from './names.js';

/** Characters of the task's id in a message: it only helps people who read logs. */
const ID = 200;

/**
 * The rows of a file in a form that Axolotl's loader does not change: each has one unique user message, the agent that plays it,
 * and its original text. Blank lines are left out.
 * @throws UserError if another line is not a row
 */
export async function* fixedRows(
  { split, path }: { split: string; path: string },
  { server, fixed }: AxolotlNames,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const each of readRows(path)) {
    signal.throwIfAborted();
    if ('problem' in each) {
      throw new UserError(`line is not a row: ${each.problem}`, {
        where: `${path}:${each.line}`,
        fix: 'correct or remove the line',
      });
    }
    const { line, row, text } = each;
    const id = typeof row.task_id === 'string' ? `: ${Buffer.from(row.task_id.slice(0, ID))}` : '';
    const fixedRow = {
      responses_create_params: { input: [{ role: 'user', content: `${server} ${split} ${line}${id}` }] },
      agent_ref: { type: 'responses_api_agents', name: fixed.name },
      gymgen_row: text,
    };
    yield `${safeJson(fixedRow)}\n`;
  }
}

/** Whether a file has fixed rows of the same server, or none. @throws an error of the operating system if it cannot be read */
export async function isFixedRows(path: string, { fixed }: AxolotlNames): Promise<boolean> {
  for await (const first of readRows(path)) {
    if ('problem' in first || typeof first.row.gymgen_row !== 'string') return false;
    const agent = first.row.agent_ref;
    return isRecord(agent) && agent.name === fixed.name;
  }
  return true;
}
