import { closest } from '../../../closest.js';
import { isRecord } from '../../../json/guards.js';
import { quote } from '../../finding.js';
import { GYM_ROUTES, TOOL_NAME } from '../../tools.js';
import { shown } from '../manifest.js';
import type { Rule, RuleText } from '../rule.js';
import type { AgentFacts, RowFacts } from './facts.js';
import { type FoundInRow, onParams } from './on-row.js';

const MODEL = '`ToolParam` of the OpenAI SDK, without other keys: the request with all its rows fails (422).';

const notList = onParams(
  {
    code: 'row-tools-null',
    severity: 'error',
    rule: 'tools is a list, or left out',
    why: MODEL,
    when: 'rollout',
  },
  ({ tools }) =>
    tools === undefined || Array.isArray(tools)
      ? undefined
      : { subject: 'tools', problem: `is ${shown(tools)}`, fix: 'write a list, or leave it out' },
);

const chat = onTool(
  {
    code: 'row-tools-chat',
    severity: 'error',
    rule: 'A tool has the shape of the Responses API: type, name, parameters and strict side by side',
    why: `The Chat API has them in function. ${MODEL}`,
    when: 'rollout',
  },
  (tool) => {
    if (!isRecord(tool)) return { problem: `is ${shown(tool)}`, fix: 'write an object' };
    if (isRecord(tool.function))
      return { problem: 'has the shape of the Chat API', fix: 'move the keys of function up one level' };
    if (typeof tool.type !== 'string' || !TYPES.test(tool.type)) {
      return { problem: `has type ${shown(tool.type)}`, fix: 'write type: function' };
    }
    return undefined;
  },
);

/** Types of tools (`ToolParam`). Only functions are checked in detail. */
const TYPES =
  /^(?:function|file_search|computer\w*|web_search\w*|mcp|code_interpreter|image_generation|local_shell|shell|custom|namespace|tool_search|apply_patch)$/;

const REQUIRED: readonly (readonly [field: string, is: (value: unknown) => boolean, kind: string])[] = [
  ['name', (value) => typeof value === 'string', 'a string'],
  ['parameters', (value) => value === null || isRecord(value), 'an object'],
  ['strict', (value) => value !== undefined && !isRecord(value) && !Array.isArray(value), 'true or false'],
];

const required = onFunction(
  {
    code: 'row-tool-strict',
    severity: 'error',
    rule: 'A function has name, parameters and strict',
    why: MODEL,
    when: 'rollout',
  },
  (tool) => {
    const wrong = REQUIRED.find(([field, is]) => tool[field] === undefined || !is(tool[field]));
    if (wrong === undefined) return undefined;
    const [field, , kind] = wrong;
    return { problem: `has ${field} ${shown(tool[field])}`, fix: `add ${field}, ${kind}` };
  },
);

const KEYS = ['type', 'name', 'description', 'parameters', 'strict', 'defer_loading'];

const keys = onFunction(
  {
    code: 'row-tool-key',
    severity: 'error',
    rule: `A function has no other keys than ${KEYS.join(', ')}; description is a string`,
    why: MODEL,
    when: 'rollout',
  },
  (tool) => {
    for (const key in tool) {
      if (!KEYS.includes(key) && key !== 'function') return { problem: `has the key ${quote(key)}`, fix: 'remove it' };
    }
    const { description = null } = tool;
    if (description === null || typeof description === 'string') return undefined;
    return { problem: `has description ${shown(description)}`, fix: 'write a string' };
  },
);

const name = onFunction(
  {
    code: 'row-tool-name',
    severity: 'warning',
    rule: 'The name of a function is 1 to 64 letters, digits, _ and -',
    why: 'Model APIs reject others, and simple_agent puts the name into a URL unescaped.',
    when: 'rollout',
  },
  ({ name }) =>
    typeof name !== 'string' || TOOL_NAME.test(name)
      ? undefined
      : { problem: 'has a name that model APIs reject', fix: 'use letters, digits, _ and - only' },
);

const route = onFunction(
  {
    code: 'row-tool-route',
    severity: 'error',
    rule: `No function has the name of a route of Gym: ${[...GYM_ROUTES].join(', ')}`,
    why: 'A call to it reaches Gym, so the model could grade itself.',
    when: 'training',
  },
  ({ name }) =>
    GYM_ROUTES.has(name as string) ? { problem: 'is the name of a route of Gym', fix: 'rename the tool' } : undefined,
);

const twice = onParams(
  {
    code: 'row-tool-twice',
    severity: 'warning',
    rule: 'No two functions of a row have the same name',
    why: 'Only one of them can be called, and some model APIs reject the request.',
    when: 'rollout',
  },
  ({ tools }) => {
    if (!Array.isArray(tools) || tools.length < 2) return undefined;
    const names = new Set<unknown>();
    for (const tool of tools) {
      const name = isRecord(tool) ? tool.name : undefined;
      if (name !== undefined && names.has(name)) {
        return { subject: `tool ${quote(String(name))}`, problem: 'is listed twice', fix: 'remove one of them' };
      }
      names.add(name);
    }
    return undefined;
  },
);

const unknown = onParams(
  {
    code: 'row-tool-unknown',
    severity: 'error',
    rule: 'The functions of a row of simple_agent are those that its resources server serves',
    why: 'simple_agent posts a call to /NAME of the server; toolsets.json lists the names.',
    when: 'rollout',
  },
  ({ tools }, facts) => {
    const served = agentOf(facts)?.tools;
    if (served === undefined || !Array.isArray(tools)) return undefined;
    for (const tool of tools) {
      if (!isRecord(tool) || typeof tool.name !== 'string' || served.has(tool.name)) continue;
      const near = closest(tool.name, [...served]);
      const fix = near === undefined ? 'name a tool of toolsets.json' : `did you mean ${quote(near)}?`;
      return { subject: `tool ${quote(tool.name)}`, problem: 'is not served by the resources server', fix };
    }
    return undefined;
  },
);

/** Also used when other rows of the same agent have tools, which is known at the end of the file. */
export const TOOLS_MISSING: RuleText = {
  code: 'row-tools-missing',
  severity: 'warning',
  rule: 'A row of simple_agent has tools if its server has tools, or if other rows of the agent have tools',
  why: 'simple_agent offers the model the tools of the row, and no others.',
  when: 'training',
};

export const NO_TOOLS: FoundInRow = {
  subject: 'tools',
  problem: 'is missing or empty, so the model can call nothing',
  fix: "add the tools of the row's server",
};

const missing = onParams(TOOLS_MISSING, ({ tools }, facts) =>
  hasNoTools(tools) && agentOf(facts)?.alwaysTools ? NO_TOOLS : undefined,
);

export function hasNoTools(tools: unknown): boolean {
  return tools === undefined || (Array.isArray(tools) && tools.length === 0);
}

/** The agent of a row, if it is a simple_agent of the configs. */
export function agentOf({ value, context: { agents } }: Pick<RowFacts, 'value' | 'context'>): AgentFacts | undefined {
  const reference = isRecord(value) ? value.agent_ref : undefined;
  const agent = isRecord(reference) ? agents?.get(String(reference.name)) : undefined;
  return agent?.implementation === 'simple_agent' ? agent : undefined;
}

function onTool(text: RuleText, judge: (tool: unknown) => Omit<FoundInRow, 'subject'> | undefined): Rule<RowFacts> {
  return onParams(text, ({ tools }) => {
    if (!Array.isArray(tools)) return undefined;
    for (let at = 0; at < tools.length; at += 1) {
      const tool: unknown = tools[at];
      const found = judge(tool);
      if (found === undefined) continue;
      const named = isRecord(tool) && typeof tool.name === 'string';
      return { subject: named ? `tool ${quote(tool.name as string)}` : `tools[${at}]`, ...found };
    }
    return undefined;
  });
}

/** A rule about tools that are functions of the right shape. */
function onFunction(
  text: RuleText,
  judge: (tool: Record<string, unknown>) => Omit<FoundInRow, 'subject'> | undefined,
): Rule<RowFacts> {
  return onTool(text, (tool) =>
    isRecord(tool) && tool.type === 'function' && !isRecord(tool.function) ? judge(tool) : undefined,
  );
}

export const ROW_TOOL_RULES: readonly Rule<RowFacts>[] = [
  notList,
  chat,
  required,
  keys,
  name,
  route,
  twice,
  unknown,
  missing,
];
