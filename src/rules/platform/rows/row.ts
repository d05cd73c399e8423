import { closest } from '../../../closest.js';
import { isRecord } from '../../../json/guards.js';
import { quote } from '../../finding.js';
import { AGENTS } from '../formats.js';
import { shown } from '../manifest.js';
import type { Rule } from '../rule.js';
import type { RowFacts } from './facts.js';
import { type FoundInRow, onObject, onRow } from './on-row.js';

const SCHEMA = 'The check in the container rejects the dataset (`GymDatasetRow`, nhx/rl/schemas/environment.py).';

const list = onRow(
  {
    code: 'row-list',
    severity: 'error',
    rule: 'A row is a JSON object',
    why: SCHEMA,
    when: 'start',
  },
  ({ value, fault }) =>
    fault !== undefined || isRecord(value)
      ? undefined
      : { subject: 'row', problem: `is ${Array.isArray(value) ? 'a list' : shown(value)}`, fix: 'write an object' },
);

const params = onObject(
  {
    code: 'row-params-list',
    severity: 'error',
    rule: 'A row has responses_create_params, an object',
    why: SCHEMA,
    when: 'start',
  },
  ({ responses_create_params: value, agent_ref: agent }, { context }) => {
    // In a Gym root, a file may have raw data from which Gym makes rows.
    const isRaw = !context.isDataset && value === undefined && agent === undefined;
    if (isRecord(value) || isRaw) return undefined;
    const problem = value === undefined ? 'is missing' : 'is not an object';
    return { subject: 'responses_create_params', problem, fix: 'write {"input": [...]}' };
  },
);

const noAgent = onObject(
  {
    code: 'row-no-agent',
    severity: 'error',
    rule: 'A row of a dataset has agent_ref, an object with a name',
    why: `${SCHEMA} Gym's own files have none.`,
    when: 'start',
  },
  ({ agent_ref: agent }, { context }) => {
    if (agent === undefined ? !context.isDataset : isRecord(agent) && typeof agent.name === 'string') return undefined;
    const problem = agent === undefined ? 'is missing' : `is ${shown(agent)}`;
    return { subject: 'agent_ref', problem, fix: `write {"type": "${AGENTS}", "name": AGENT}` };
  },
);

const agentType = onObject(
  {
    code: 'row-agent-type',
    severity: 'error',
    rule: `agent_ref has type ${AGENTS} or none, and no other key`,
    why: SCHEMA,
    when: 'start',
  },
  ({ agent_ref: agent }, { context }) => {
    if (!isRecord(agent)) return undefined;
    if (agent.type !== undefined && agent.type !== AGENTS) {
      return { subject: 'agent_ref.type', problem: `is ${shown(agent.type)}`, fix: `write ${AGENTS}` };
    }
    const key = context.isDataset ? Object.keys(agent).find((one) => one !== 'type' && one !== 'name') : undefined;
    return key === undefined
      ? undefined
      : { subject: 'agent_ref', problem: `has the key ${quote(key)}`, fix: 'remove it' };
  },
);

const UNKNOWN = 'Gym rejects the request: "Rows reference agents not present in the running config".';

/** A rule about the name of an agent that is not in the configs. */
function agentRule(
  code: string,
  rule: string,
  judge: (name: string, facts: RowFacts, known: readonly string[]) => Omit<FoundInRow, 'subject'> | undefined,
): Rule<RowFacts> {
  return onObject({ code, severity: 'error', rule, why: UNKNOWN, when: 'rollout' }, ({ agent_ref: agent }, facts) => {
    const { agents } = facts.context;
    if (!isRecord(agent) || typeof agent.name !== 'string' || agents?.has(agent.name)) return undefined;
    const found = judge(agent.name, facts, agents === undefined ? [] : [...agents.keys()]);
    return found && { subject: `agent_ref.name ${quote(agent.name)}`, ...found };
  });
}

const agentEmpty = agentRule('row-agent-empty', 'agent_ref.name is not empty', (name) =>
  name === '' ? { problem: 'is empty', fix: 'name an agent instance of the configs' } : undefined,
);

const agentImplementation = agentRule(
  'row-agent-implementation',
  'agent_ref.name is an instance, not an implementation',
  (name, { context: { agents = new Map() } }) => {
    const instance = [...agents].find(([, { implementation }]) => implementation === name)?.[0];
    if (instance === undefined) return undefined;
    return { problem: 'is an implementation, not an instance', fix: `did you mean ${quote(instance)}?` };
  },
);

const agentOther = agentRule(
  'row-agent-resources',
  'agent_ref.name is an agent, not another server',
  (name, { context: { others } }, known) => {
    const type = others.get(name);
    if (type === undefined) return undefined;
    return { problem: `is an instance of ${type}`, fix: `name an agent: ${known.slice(0, 10).map(quote).join(', ')}` };
  },
);

const agentUnknown = agentRule(
  'row-agent-unknown',
  'agent_ref.name is an agent instance of the configs',
  (name, { context: { agents, others } }, known) => {
    const isImplementation = [...(agents?.values() ?? [])].some(({ implementation }) => implementation === name);
    if (agents === undefined || name === '' || isImplementation || others.has(name)) return undefined;
    const near = closest(name, known);
    const names = known.slice(0, 10).map(quote).join(', ') || '(none)';
    const fix = near === undefined ? `name one of: ${names}` : `did you mean ${quote(near)}?`;
    return { problem: 'is not an agent of the configs', fix };
  },
);

const isText = (value: unknown) => typeof value === 'string';
/** `example_id` and `task_idx` are read as Python reads them: 1.0 is an integer. */
const isWhole = (value: unknown) => Number.isInteger(value);

/** Optional fields of a row that must have a type. */
const TYPES: readonly (readonly [field: string, is: (value: unknown) => boolean, kind: string])[] = [
  ['answer', isText, 'a string'],
  ['task', isText, 'a string'],
  ['info', isRecord, 'an object'],
  ['example_id', (value) => isText(value) || isWhole(value), 'an integer or a string'],
  ['task_idx', (value) => value === null || isWhole(value), 'an integer'],
  ['question', (value) => value === null || isText(value), 'a string'],
];

const fieldType = onObject(
  {
    code: 'row-field-type',
    severity: 'error',
    rule: `These fields of a dataset have their type: ${TYPES.map(([field, , kind]) => `${field} (${kind})`).join(', ')}`,
    why: SCHEMA,
    when: 'start',
  },
  (row, { context }) => {
    if (!context.isDataset) return undefined;
    const wrong = TYPES.find(([field, is]) => row[field] !== undefined && !is(row[field]));
    if (wrong === undefined) return undefined;
    const [field, , kind] = wrong;
    return { subject: field, problem: `is ${shown(row[field])}, not ${kind}`, fix: 'correct it, or rename the field' };
  },
);

const OWN_KEYS = ['reward', 'response', 'mask_sample'];

const ownKeys = onObject(
  {
    code: 'row-own-keys',
    severity: 'warning',
    rule: `A row of a dataset has none of Gym's own keys: ${OWN_KEYS.join(', ')}, _ng_…`,
    why: 'Gym and the servers write them into the rollout, and so overwrite the values of the row.',
    when: 'training',
  },
  (row, { context }) => {
    if (!context.isDataset) return undefined;
    const key =
      OWN_KEYS.find((one) => Object.hasOwn(row, one)) ?? Object.keys(row).find((one) => one.startsWith('_ng_'));
    return key === undefined ? undefined : { subject: `key ${quote(key)}`, problem: "is Gym's own", fix: 'rename it' };
  },
);

/** A rule about rows of an agent that runs verifiers. */
function onVerifiers(
  code: string,
  rule: string,
  why: string,
  judge: (row: Record<string, unknown>, facts: RowFacts) => FoundInRow | undefined,
): Rule<RowFacts> {
  return onObject({ code, severity: 'error', rule, why, when: 'rollout' }, (row, facts) => {
    const { agent_ref: agent } = row;
    const name = isRecord(agent) ? agent.name : undefined;
    const isVerifiers =
      name === 'verifiers_agent' || facts.context.agents?.get(String(name))?.implementation === 'verifiers_agent';
    return facts.context.isDataset && isVerifiers ? judge(row, facts) : undefined;
  });
}

const otherId = onVerifiers(
  'row-vf-other-id',
  'A row of verifiers_agent has the vf_env_id of the manifest',
  '`verifiers.load_environment` imports the module of that name, and the package has the wheel of only one.',
  ({ vf_env_id: id }, { context: { vfEnvId } }) => {
    if (isText(id) && (vfEnvId === undefined || id === vfEnvId)) return undefined;
    const wanted = vfEnvId === undefined ? 'the id of the environment' : quote(vfEnvId);
    return { subject: 'vf_env_id', problem: `is ${shown(id)}`, fix: `write ${wanted}` };
  },
);

const noIndex = onVerifiers(
  'row-vf-no-idx',
  'A row of verifiers_agent has task_idx, an integer',
  'The agent rejects a row without it (422).',
  ({ task_idx: index }) => {
    if (isWhole(index)) return undefined;
    const problem = index === undefined ? 'is missing' : `is ${shown(index)}`;
    return { subject: 'task_idx', problem, fix: 'number the rows' };
  },
);

export const ROW_RULES: readonly Rule<RowFacts>[] = [
  list,
  params,
  noAgent,
  agentType,
  agentEmpty,
  agentImplementation,
  agentOther,
  agentUnknown,
  fieldType,
  ownKeys,
  otherId,
  noIndex,
];
