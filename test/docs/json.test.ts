import { test } from 'vitest';
import { z } from 'zod';
import { ERROR_CODES } from '../../src/errors.js';
import { DOCUMENTS } from './documents.js';
import { code, either, expectPage, wrapped } from './markdown.js';
import type { Schema } from './typescript.js';

test('docs/json.md is generated from the schemas of the documents', () => {
  expectPage('json.md', page());
});

const INTRO = `\
# JSON output

<!-- Generated from src/documents/. To update: GYMGEN_UPDATE_GOLDEN=1 npx vitest run test/docs -->

With \`--json\`, a command prints one JSON document to stdout:

\`\`\`
gymgen check gym-root --json | jq -r '.folders[] | select(.status == "differs") | .name'
\`\`\`

Text has its exact value: hidden characters are escaped as \`\\uXXXX\`, as in [the written files](output.md). Credentials
are masked. Fields marked as optional are left out if there is no value. The exit codes are the same as without \`--json\`
([cli.md](cli.md#exit-codes)).
`;

function page(): string {
  const shared = new Map<string, Schema>();
  const sections = DOCUMENTS.map(({ heading, intro, schema }) => {
    const json = z.toJSONSchema(schema, { io: 'output' }) as Schema;
    for (const [name, definition] of Object.entries(json.$defs ?? {})) shared.set(name, definition);
    return `## ${heading}\n\n${intro}\n\n${fieldLines(json, 0).join('\n')}\n`;
  });
  const objects = [...shared].map(([name, schema]) => `### ${name}\n\n${linesOf(name, schema).join('\n')}\n`);
  return [INTRO, ...sections, '## Shared objects\n', ...objects].join('\n');
}

function linesOf(name: string, schema: Schema): string[] {
  if (name !== 'Error code') return fieldLines(schema, 0);
  return Object.entries(ERROR_CODES).map(([one, meaning]) => wrapped(`- ${code(`"${one}"`)}: ${meaning}`, '  '));
}

function fieldLines({ properties = {}, required = [] }: Schema, depth: number): string[] {
  const indent = '  '.repeat(depth);
  return Object.entries(properties).flatMap(([name, schema]) => {
    const optional = required.includes(name) ? '' : ', optional';
    const text = [`${typeOf(schema)}${optional}`, ...(schema.description ? [schema.description] : [])].join('. ');
    return [
      wrapped(`${indent}- ${code(name)}: ${text}`, `${indent}  `),
      ...inner(schema).flatMap((variant) => fieldLines(variant, depth + 1)),
    ];
  });
}

/** The objects whose fields are listed below a field. */
function inner(schema: Schema): Schema[] {
  if (schema.items) return inner(schema.items);
  if (schema.anyOf) return schema.anyOf.flatMap(inner);
  return schema.properties ? [schema] : [];
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return link(decodeURIComponent(schema.$ref.replace('#/$defs/', '')));
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum) return either(schema.enum.map((value) => code(JSON.stringify(value))));
  if (schema.anyOf) return either([...new Set(schema.anyOf.map(typeOf))]);
  if (schema.type === 'array') return `list of ${plural(typeOf(schema.items as Schema))}`;
  if (schema.additionalProperties) return `object of ${plural(typeOf(schema.additionalProperties))}`;
  return either([schema.type ?? 'any value'].flat());
}

function link(name: string): string {
  return `[${name}](#${name.toLowerCase().replaceAll(' ', '-')})`;
}

function plural(type: string): string {
  return type.startsWith('list of')
    ? type.replace('list of', 'lists of')
    : type.replace(/\b(string|integer|number|object)\b/g, '$1s');
}
