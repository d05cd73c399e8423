import type { Option } from '../../src/options/option.js';
import * as values from '../../src/options/value-types.js';

const BOOLEAN: values.Shape = { json: { type: 'boolean' }, typescript: 'boolean' };
const TEXT: values.Shape = { json: { type: 'string' }, typescript: 'string' };

/** How the value of an option is written in JSON, and in TypeScript. A repeatable option has several in JSON. */
export function shapeOf({ value, choices, repeatable }: Option): values.Shape {
  if (value === undefined) return BOOLEAN;
  const registered = values.SHAPES.get(value(values));
  if (registered) return registered;
  if (choices) {
    return {
      json: { type: 'string', enum: [...choices] },
      typescript: choices.map((choice) => `'${choice}'`).join(' | '),
    };
  }
  return repeatable ? { ...TEXT, typescript: 'readonly string[]' } : TEXT;
}
