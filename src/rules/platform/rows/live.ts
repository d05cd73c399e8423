import { isRecord } from '../../../json/guards.js';
import { quote } from '../../finding.js';
import { shown } from '../manifest.js';
import type { Rule, RuleText } from '../rule.js';
import type { AgentFacts, LiveSplit, RowFacts } from './facts.js';
import { type FoundInRow, onObject } from './on-row.js';

const WHY =
  'The bridge opens the task of the row by its split and index, and masks the rollout if the server has another task there.';
const UPDATE = 'write the folder again: gymgen update';

const split = onLive(
  {
    code: 'live-split',
    severity: 'error',
    rule: 'The OpenEnv server serves the split of each row (with --live)',
    why: WHY,
    when: 'rollout',
  },
  ({ split }, { splits }) =>
    typeof split !== 'string' || splits.has(split)
      ? undefined
      : { subject: `split ${quote(split)}`, problem: 'is no longer served', fix: UPDATE },
);

const task = onLive(
  {
    code: 'live-task',
    severity: 'error',
    rule: 'The OpenEnv server serves the task of each row at its index (with --live)',
    why: WHY,
    when: 'rollout',
  },
  ({ split, index, task_id: id }, { splits }) => {
    const served = typeof split === 'string' ? splits.get(split) : undefined;
    if (served === undefined || !Number.isInteger(index) || typeof id !== 'string') return undefined;
    const state = stateOf(served, index as number, id);
    if (state === undefined) return undefined;
    return { subject: `task ${split}[${shown(index)}] ${quote(id)}`, problem: state, fix: UPDATE };
  },
);

function stateOf(served: LiveSplit, index: number, id: string): string | undefined {
  if (index >= served.count) return `is no longer served: the split has ${served.count} tasks`;
  return served.isTask(index, id) ? undefined : 'is another task on the server';
}

const tool = onLive(
  {
    code: 'live-tool',
    severity: 'error',
    rule: 'The OpenEnv server serves the tools of each row (with --live)',
    why: 'simple_agent offers the tools of the row, and the server answers a call to an unknown tool with an error.',
    when: 'rollout',
  },
  ({ responses_create_params: params }, { tools }) => {
    const own = isRecord(params) && Array.isArray(params.tools) ? params.tools : [];
    const gone = own.find((one) => isRecord(one) && typeof one.name === 'string' && !tools.has(one.name));
    if (gone === undefined || tools.size === 0) return undefined;
    return { subject: `tool ${quote(String(gone.name))}`, problem: 'is no longer served', fix: UPDATE };
  },
);

/** A rule about rows whose OpenEnv server was asked. */
function onLive(
  text: RuleText,
  judge: (row: Record<string, unknown>, live: NonNullable<AgentFacts['live']>) => FoundInRow | undefined,
): Rule<RowFacts> {
  return onObject(text, (row, { context: { agents } }) => {
    const live = isRecord(row.agent_ref) ? agents?.get(String(row.agent_ref.name))?.live : undefined;
    return live === undefined ? undefined : judge(row, live);
  });
}

export const LIVE_RULES: readonly Rule<RowFacts>[] = [split, task, tool];
