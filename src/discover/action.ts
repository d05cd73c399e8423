import { parse, stringify } from 'lossless-json';
import { UserError } from '../errors.js';
import { isRecord } from '../json/guards.js';
import { LIMITS, overLimit } from '../limits.js';
import type { JsonText, Tool } from '../model.js';
import { excerpt } from '../openenv/index.js';
import { jsonFault } from '../rules/json-text.js';
import { impossibleValue } from './impossible-value.js';
import { inlineSchema } from './inline-schema.js';

/** The tool that stands for the one action of an environment without tools. */
export const STEP = 'step';

export interface ActionOptions {
  /** Fields that the model doesn't see. */
  hide: readonly string[];
  /** Fields that have one value, which the resources server puts into each action. */
  fix: Readonly<Record<string, JsonText>>;
  /** What the tool does, in place of what the schema says of itself. */
  doc?: string;
}

export const WHOLE_ACTION: ActionOptions = { hide: [], fix: {} };

const UNTOLD = 'Takes a step in the environment, and answers with what is then to be seen.';

/**
 * An environment's action as a tool: its schema is the action's, without references, without `metadata`, which is not the
 * model's, and without the fields that are hidden or fixed. What the schema says of itself is what the tool does: codes of
 * actions are often explained nowhere else.
 * @param schema `action` of GET /schema
 * @throws UserError where it is none, or an option names a field that it doesn't have
 */
export function stepTool(schema: JsonText, { hide, fix, doc }: ActionOptions): Tool {
  const {
    description,
    properties,
    required = [],
    ...rest
  } = inlineSchema(objectOf(schema)) as Record<string, unknown> & {
    required?: string[];
  };
  if (typeof properties !== 'object' || properties === null) {
    throw new UserError('the action of this environment has no fields, so that there is nothing for a model to decide');
  }
  const hidden = new Set(['metadata', ...hide, ...Object.keys(fix)]);
  checkFields(properties as Record<string, unknown>, required, hide, fix);
  const kept = Object.entries(properties).filter(([name]) => !hidden.has(name));
  const wanted = required.filter((name) => !hidden.has(name));
  const parameters = {
    ...rest,
    properties: Object.fromEntries(kept),
    ...(wanted.length > 0 ? { required: wanted } : {}),
    type: 'object',
  };
  const told = typeof description === 'string' && description.trim() !== '' ? description.trim() : UNTOLD;
  return { name: STEP, description: doc ?? told, parameters: stringify(parameters) as string };
}

function objectOf(schema: JsonText): Record<string, unknown> {
  if (Buffer.byteLength(schema) > LIMITS.schemaBytes) throw overLimit('schemaBytes', { where: "the action's schema" });
  const fault = jsonFault(schema);
  if (fault !== undefined) throw new UserError(`the action's schema ${fault}`, { fix: 'mend it on the server' });
  const value = parse(schema);
  if (isRecord(value)) return value;
  throw new UserError(`the action's schema is no object: ${excerpt(schema)}`, { fix: 'mend it on the server' });
}

function checkFields(
  properties: Record<string, unknown>,
  required: string[],
  hide: readonly string[],
  fix: ActionOptions['fix'],
): void {
  const names = Object.keys(properties).filter((name) => name !== 'metadata');
  const fields = `its fields are: ${names.join(', ') || 'none'}`;
  const fixable = Object.hasOwn(properties, 'metadata') ? [...names, 'metadata'] : names;
  for (const [option, given, known] of [
    ['--hide-field', hide, names],
    ['--fix-field', Object.keys(fix), fixable],
  ] as const) {
    const unknown = given.find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw new UserError(`${option} ${unknown}: the action has no such field`, { fix: fields });
  }
  const schemas = JSON.parse(stringify(properties) as string); // its numbers are lossless-json's
  for (const [name, text] of Object.entries(fix)) {
    const reason = impossibleValue(schemas[name], JSON.parse(text));
    if (reason === undefined) continue;
    throw new UserError(`--fix-field ${name}=${excerpt(text, 60)}: the value ${reason}`, {
      fix: 'pass a value that the action takes',
    });
  }
  const needed = hide.find((name) => required.includes(name) && !Object.hasOwn(fix, name));
  if (needed !== undefined) {
    throw new UserError(`--hide-field ${needed}: an action must have it`, {
      fix: `give it a value: --fix-field ${needed}=…`,
    });
  }
  // Every action would be refused, since models are not shown metadata.
  if (required.includes('metadata') && !Object.hasOwn(fix, 'metadata')) {
    throw new UserError('the action requires metadata, which models are not shown', {
      fix: "pass its value: --fix-field 'metadata={}'",
    });
  }
}
