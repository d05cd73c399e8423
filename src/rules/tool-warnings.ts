import { isRecord } from '../json/guards.js';
import type { Tool } from '../model.js';
import { type Finding, quote, warning } from './finding.js';
import { jsonProblem } from './json-text.js';
import { SCHEMA_LEVEL } from './tools.js';

/**
 * Warnings about tools for which some model APIs reject the whole request with HTTP 400. They differ, and they change:
 * - OpenAI: up to 128 tools (`tools` of https://platform.openai.com/docs/api-reference/chat/create), descriptions up to 1,024
 *   characters (https://github.com/getsentry/sentry-mcp/issues/106), `type: "object"` and no combinations at the top level
 *   (https://github.com/nspady/google-calendar-mcp/issues/39), arrays with `items`
 *   (https://github.com/meilisearch/meilisearch-mcp/issues/27), and a valid JSON Schema otherwise
 *   (https://github.com/CherryHQ/cherry-studio/issues/4188).
 * - Anthropic: no combinations at the top level (https://github.com/anthropics/claude-code/issues/27337), names of properties
 *   (https://github.com/anthropics/claude-code/issues/79418), draft 2020-12 of JSON Schema
 *   (https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview).
 * - vLLM: grammars need a valid JSON Schema whose references resolve
 *   (https://docs.vllm.ai/en/latest/features/tool_calling.html, https://github.com/vllm-project/vllm/issues/26421), and chat
 *   templates read `parameters.properties` as a map.
 */
const MOST_TOOLS = 128;
const LONGEST_DESCRIPTION = 1024;
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
const NOT_AT_TOP = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref'];

type Schema = Record<string, unknown>;

/** `tool-count`: more tools than an API accepts. */
export function toolCount(count: number, subject: string): Finding[] {
  if (count <= MOST_TOOLS) return [];
  const problem = `has ${count} tools; OpenAI's API accepts up to ${MOST_TOOLS}`;
  return [warning('tool-count', subject, problem, 'offer fewer tools per task')];
}

/** `tool-description-length` and `schema-…`: one warning for each code. The schema is the one in the rows. */
export function toolSchema({ name, description, parameters }: Tool): Finding[] {
  const subject = `tool ${quote(name)}`;
  const findings: Finding[] = [];
  const length = description.length > LONGEST_DESCRIPTION ? [...description].length : 0;
  if (length > LONGEST_DESCRIPTION) {
    const problem = `its description has ${length} characters; OpenAI's API accepts up to ${LONGEST_DESCRIPTION}`;
    findings.push(warning('tool-description-length', subject, problem, 'shorten the description on the server'));
  }
  if (jsonProblem(parameters, SCHEMA_LEVEL) !== undefined) return findings; // `toolParameters` rejects it
  const schema: unknown = JSON.parse(parameters);
  if (!isRecord(schema)) return findings;
  const problems = new Problems(schema);
  problems.top();
  for (const [code, { problem, more }] of problems.found) {
    const others = more === 0 ? '' : ` (and ${more} more)`;
    findings.push(warning(code, subject, `${problem}${others}`, 'correct the schema on the server'));
  }
  return findings;
}

/** Keywords whose value is a schema, a list of schemas, or an object of schemas (JSON Schema 2020-12, core, section 10). */
const ONE = new Set(
  `items additionalProperties unevaluatedItems unevaluatedProperties contains propertyNames not if then else`.split(
    ' ',
  ),
);
const LIST = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

const TYPES: readonly unknown[] = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const isNumber = (value: unknown) => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';
/** Without duplicates, as in `type` and `required`. */
const isSet = (value: unknown): value is unknown[] => Array.isArray(value) && new Set(value).size === value.length;
const isList = (value: unknown): value is unknown[] => isSet(value) && value.length > 0;
const isFlag = (value: unknown) => typeof value === 'boolean';

/** Values of other keywords (JSON Schema 2020-12, validation, sections 6 and 9). */
const VALUES: Record<string, { is: (value: unknown) => boolean; kind: string }> = {
  type: {
    is: (value) => TYPES.includes(value) || (isList(value) && value.every((each) => TYPES.includes(each))),
    kind: 'a JSON type',
  },
  enum: { is: (value) => Array.isArray(value) && value.length > 0, kind: 'a list of values' },
  pattern: { is: (value) => isText(value) && isPattern(value), kind: 'a regular expression' },
  multipleOf: { is: (value) => isNumber(value) && (value as number) > 0, kind: 'a number above 0' },
  ...all(['description', 'title', 'format', '$ref'], isText, 'a string'),
  ...all(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], isNumber, 'a number'),
  ...all(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'], isCount, 'a count'),
  ...all(['uniqueItems', 'readOnly', 'writeOnly', 'deprecated'], isFlag, 'true or false'),
};

function all(keywords: readonly string[], is: (value: unknown) => boolean, kind: string) {
  return Object.fromEntries(keywords.map((keyword) => [keyword, { is, kind }]));
}

/** Walks a schema. Keeps the first problem of each code, and the number of others. */
class Problems {
  readonly found = new Map<string, { problem: string; more: number }>();

  constructor(private readonly root: Schema) {}

  top(): void {
    const { type, properties } = this.root;
    if (type !== 'object') this.add('schema-top-level', [], `its type is ${shown(type)}, not "object"`);
    for (const keyword of NOT_AT_TOP) {
      if (Object.hasOwn(this.root, keyword)) this.add('schema-top-level', [], `it has ${keyword} at the top level`);
    }
    for (const name of isRecord(properties) ? Object.keys(properties) : []) {
      if (PROPERTY_NAME.test(name)) continue;
      this.add('schema-property-name', ['properties'], `has the name ${quote(name)}, which Anthropic's API rejects`);
    }
    this.schema(this.root, []);
  }

  private add(code: string, path: readonly string[], problem: string): void {
    const known = this.found.get(code);
    if (known) known.more += 1;
    else
      this.found.set(code, { problem: path.length === 0 ? problem : `${quote(path.join('.'))} ${problem}`, more: 0 });
  }

  private schema(schema: Schema, path: readonly string[]): void {
    for (const [keyword, value] of Object.entries(schema)) this.keyword(keyword, value, [...path, keyword]);
    const types = [schema.type].flat();
    if (types.includes('array') && !Object.hasOwn(schema, 'items')) this.add('schema-items', path, 'has no items');
    this.required(schema, path);
  }

  private keyword(keyword: string, value: unknown, path: readonly string[]): void {
    if (ONE.has(keyword)) this.part('schema-keyword', value, path);
    else if (LIST.has(keyword)) {
      if (!Array.isArray(value) || value.length === 0) this.add('schema-keyword', path, 'is not a list of schemas');
      else for (const [at, item] of value.entries()) this.part('schema-keyword', item, [...path, String(at)]);
    } else if (NAMED.has(keyword)) {
      const code = keyword === 'properties' ? 'schema-property' : 'schema-keyword';
      if (!isRecord(value)) this.add(code, path, 'is not an object of schemas');
      else for (const [name, item] of Object.entries(value)) this.part(code, item, [...path, name]);
    } else if (Object.hasOwn(VALUES, keyword)) {
      const { is, kind } = VALUES[keyword] as (typeof VALUES)[string];
      if (!is(value)) this.add('schema-keyword', path, `is ${shown(value)}, not ${kind}`);
      else if (keyword === '$ref') this.reference(value as string, path);
    }
  }

  private part(code: string, value: unknown, path: readonly string[]): void {
    if (isRecord(value)) this.schema(value, path);
    else if (typeof value !== 'boolean') this.add(code, path, `is ${shown(value)}, not a schema`);
  }

  private required(schema: Schema, path: readonly string[]): void {
    const { required, properties } = schema;
    if (required === undefined) return;
    if (!isSet(required) || !required.every(isText)) {
      this.add('schema-required', path, `has required: ${shown(required)}, not a list of distinct names`);
      return;
    }
    const unknown = required.find((name) => isRecord(properties) && !Object.hasOwn(properties, name));
    if (unknown !== undefined) {
      this.add('schema-required', path, `requires ${quote(unknown)}, which is not in its properties`);
    }
  }

  private reference(reference: string, path: readonly string[]): void {
    if (resolves(this.root, reference)) return;
    this.add('schema-ref', path, `refers to ${quote(reference)}, which is not in the schema`);
  }
}

/** Whether the schema contains what a reference names: `#`, a JSON pointer (RFC 6901), or an anchor. */
function resolves(root: Schema, reference: string): boolean {
  if (!reference.startsWith('#')) return false;
  const fragment = decoded(reference.slice(1));
  if (fragment !== '' && !fragment.startsWith('/')) {
    return JSON.stringify(root).includes(`"$anchor":${JSON.stringify(fragment)}`);
  }
  let found: unknown = root;
  for (const key of fragment.split('/').slice(1)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    const holds = typeof found === 'object' && found !== null && Object.hasOwn(found, name);
    found = holds ? (found as Schema)[name] : undefined;
  }
  return isRecord(found) || typeof found === 'boolean';
}

/** Whether a text is an ECMA-262 regular expression, as JSON Schema recommends. */
function isPattern(text: string): boolean {
  try {
    // eslint-disable-next-line no-restricted-syntax -- parsed, but never run
    return new RegExp(text) !== undefined;
  } catch {
    return false;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The start of a value's JSON. */
function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
