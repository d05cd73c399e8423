import { UserError } from '../../errors.js';
import { memberAt, members } from '../../json/members.js';
import type { RowChange } from '../rows.js';

/** Keys of a row that name its task, for the bridge. */
const TASK_KEYS = ['split', 'index', 'task_id', 'reset'];

/**
 * Turns a row for simple_agent into one for verifiers_agent, which gives the environment only `info`. All values keep their
 * spelling.
 */
export function adapterRow(vfEnvId: string): RowChange {
  return (line, source, at) => {
    const row = parsed(line, source.path);
    const tools = memberAt(line, 'responses_create_params', 'tools') ?? '[]';
    const params = members(row.get('responses_create_params') ?? '{}');
    params.delete('tools'); // the environment gives them to the model
    const task = TASK_KEYS.flatMap((key) => (row.has(key) ? [[key, row.get(key) as string] as const] : []));
    const info = object([['server', JSON.stringify(source.server)], ...task, ['tools', tools]]);
    return object([
      ['responses_create_params', object([...params])],
      ['agent_ref', '{"type":"responses_api_agents","name":"verifiers_agent"}'],
      ['vf_env_id', JSON.stringify(vfEnvId)],
      ['task_idx', String(at)],
      ['example_id', row.get('task_id') ?? String(at)],
      ['info', info],
    ]);
  };
}

function parsed(line: string, where: string): Map<string, string> {
  try {
    JSON.parse(line); // `members` needs valid JSON
  } catch (cause) {
    throw new UserError('a row is not valid JSON', { where, fix: 'write the folder again', cause });
  }
  return members(line);
}

function object(entries: readonly (readonly [key: string, json: string])[]): string {
  return `{${entries.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}
