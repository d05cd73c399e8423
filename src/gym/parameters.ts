import { members } from '../openenv/index.js';
import { jsonFault } from '../rules/index.js';

/**
 * A tool's parameters as rows have them. `{}` and an object without `properties` become
 * `{"type":"object","properties":{}}` with their own keys; all else stays byte for byte, since the model must see what the
 * server checks. The bridge compares toolsets without this difference (openenv_bridge/tool_schemas.py).
 */
export function rowParameters(parameters: string): string {
  if (jsonFault(parameters) !== undefined || !parameters.trimStart().startsWith('{')) return parameters;
  const own = members(parameters);
  const type = own.get('type') ?? '"object"';
  if (own.has('properties') || type !== '"object"') return parameters;
  own.delete('type');
  const rest = [...own].map(([key, value]) => `,${JSON.stringify(key)}:${value}`).join('');
  return `{"type":"object","properties":{}${rest}}`;
}
