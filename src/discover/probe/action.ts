import { parse, stringify } from 'lossless-json';
import { UserError } from '../../errors.js';
import { isRecord } from '../../json/guards.js';
import { LIMITS, overLimit } from '../../limits.js';
import type { JsonText, Tool } from '../../model.js';
import { excerpt } from '../../openenv/index.js';
import { jsonProblem } from '../../rules/index.js';
import { inlineSchema } from './inline-schema.js';
import { impossibleValue } from './schema-values.js';

/** The tool that replaces the action of an environment without tools. */
export const STEP = 'step';

export interface ActionOptions {
  /** Fields that are hidden from the model. */
  hide: readonly string[];
  /** Fields with a fixed value, which the resources server adds to each action. */
  fix: Readonly<Record<string, JsonText>>;
  /** A description of the tool that replaces the schema's own. */
  doc?: string;
}

export const WHOLE_ACTION: ActionOptions = { hide: [], fix: {} };

const DEFAULT_DESCRIPTION = 'Takes a step in the environment and returns the observation.';

/**
 * Turns an environment's action into a tool. Its parameters are the action's schema, without references, `metadata` (which is
 * not for models), hidden and fixed fields. The schema's description becomes the tool's: often nothing else explains the
 * codes of actions.
 * @param schema `action` of GET /schema
 * @throws UserError if the schema is invalid, or if an option names an unknown field
 */
export function stepTool(schema: JsonText, { hide, fix, doc }: ActionOptions): Tool {
  const {
    description,
    properties,
    required = [],
    ...rest
  } = inlineSchema(parseSchema(schema)) as Record<string, unknown> & {
    required?: string[];
  };
  if (typeof properties !== 'object' || properties === null) {
    throw new UserError('the action has no fields for a model to set', {
      fix: 'add fields to the action on the server',
    });
  }
  const hidden = new Set(['metadata', ...hide, ...Object.keys(fix)]);
  checkFields(properties as Record<string, unknown>, required, hide, fix);
  const kept = Object.entries(properties).filter(([name]) => !hidden.has(name));
  const keptRequired = required.filter((name) => !hidden.has(name));
  const parameters = {
    ...rest,
    properties: Object.fromEntries(kept),
    ...(keptRequired.length > 0 ? { required: keptRequired } : {}),
    type: 'object',
  };
  const own = typeof description === 'string' ? description.trim() : '';
  return { name: STEP, description: doc ?? (own || DEFAULT_DESCRIPTION), parameters: stringify(parameters) as string };
}

const FIX_SCHEMA = { fix: 'correct the schema on the server' };

function parseSchema(schema: JsonText): Record<string, unknown> {
  if (Buffer.byteLength(schema) > LIMITS.schemaBytes) throw overLimit('schemaBytes', { where: "the action's schema" });
  const fault = jsonProblem(schema);
  if (fault !== undefined) throw new UserError(`the action's schema ${fault}`, FIX_SCHEMA);
  const value = parse(schema);
  if (isRecord(value)) return value;
  throw new UserError(`the action's schema is not an object: ${excerpt(schema)}`, FIX_SCHEMA);
}

function checkFields(
  properties: Record<string, unknown>,
  required: string[],
  hide: readonly string[],
  fix: ActionOptions['fix'],
): void {
  const names = Object.keys(properties).filter((name) => name !== 'metadata');
  const fixable = Object.hasOwn(properties, 'metadata') ? [...names, 'metadata'] : names;
  for (const [option, named, known] of [
    ['--hide-field', hide, names],
    ['--fix-field', Object.keys(fix), fixable],
  ] as const) {
    const unknown = named.find((name) => !known.includes(name));
    if (unknown === undefined) continue;
    throw new UserError(`${option} ${unknown}: the action has no such field`, {
      fix: `choose from: ${names.join(', ') || 'none'}`,
    });
  }
  const schemas = JSON.parse(stringify(properties) as string); // ordinary numbers instead of lossless-json's
  for (const [name, text] of Object.entries(fix)) {
    const reason = impossibleValue(schemas[name], JSON.parse(text));
    if (reason === undefined) continue;
    throw new UserError(`--fix-field ${name}=${excerpt(text, 60)}: the value ${reason}`, {
      fix: 'pass a value that the schema of the action allows',
    });
  }
  const missing = hide.find((name) => required.includes(name) && !Object.hasOwn(fix, name));
  if (missing !== undefined) {
    throw new UserError(`--hide-field ${missing}: the field is required`, {
      fix: `set a value: --fix-field ${missing}=…`,
    });
  }
  // Every action would be rejected, because metadata is hidden from models.
  if (required.includes('metadata') && !Object.hasOwn(fix, 'metadata')) {
    throw new UserError('the action requires metadata, which is hidden from models', {
      fix: "set a value: --fix-field 'metadata={}'",
    });
  }
}
