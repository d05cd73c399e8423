import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ACCEPTED, BatchSchema, keyOf } from '../../src/operations/batch-file.js';
import { helpOf } from '../../src/options/index.js';
import { LockSchema } from '../../src/output/index.js';
import { DOCUMENTS } from './documents.js';
import { expectFile } from './markdown.js';
import { shapeOf } from './option-shape.js';
import { type Schema, typeName } from './typescript.js';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

const SCHEMAS: readonly [file: string, title: string, schema: () => object][] = [
  ['lock.json', 'gymgen.lock.json', () => z.toJSONSchema(LockSchema, { io: 'input' })],
  ['batch-file.json', 'Batch file of gymgen', batchSchema],
  ...DOCUMENTS.map(({ heading, file, schema }) => {
    const title = heading === 'Errors' ? 'Error of gymgen' : `gymgen ${heading} --json`;
    return [`json/${file}`, title, () => documentSchema(schema)] as [string, string, () => object];
  }),
];

test.each(SCHEMAS)('schemas/%s is generated', (file, title, schema) => {
  expectFile(`schemas/${file}`, `${JSON.stringify({ title, ...schema() }, null, 2)}\n`);
});

test('schemas/ has no other files', () => {
  const found = readdirSync(`${REPOSITORY}schemas`, { recursive: true }) as string[];
  expect(found.filter((file) => file !== 'json').sort()).toEqual(SCHEMAS.map(([file]) => file).sort());
});

/** The schema of a document. Its references are URIs, so the names in them have no spaces. */
function documentSchema(schema: z.ZodType): object {
  const json = z.toJSONSchema(schema, { io: 'output' }) as Schema;
  const text = Object.keys(json.$defs ?? {}).reduce(
    (all, id) => all.replaceAll(`"#/$defs/${id}"`, `"#/$defs/${typeName(id)}"`),
    JSON.stringify(json),
  );
  const named: Schema = JSON.parse(text);
  const definitions = Object.entries(named.$defs ?? {}).map(([id, definition]) => [typeName(id), definition]);
  return { ...named, ...(named.$defs && { $defs: Object.fromEntries(definitions) }) };
}

/** The schema of the reader, with the help of each option and its type. */
function batchSchema(): object {
  const schema = z.toJSONSchema(BatchSchema, { io: 'input' }) as Schema;
  const options = Object.fromEntries(ACCEPTED.map((option) => [keyOf(option), optionSchema(option)]));
  const { defaults, sources } = schema.properties as Record<string, Schema>;
  const map = sources?.items?.anyOf?.find(({ type }) => type === 'object');
  for (const object of [defaults, map]) Object.assign(object?.properties ?? {}, options);
  return schema;
}

function optionSchema(option: (typeof ACCEPTED)[number]): object {
  const { repeatable, ...once } = option; // a list in the file
  const { json } = shapeOf(option);
  const value = repeatable ? { anyOf: [json, { type: 'array', items: json }] } : json;
  return { description: helpOf(once), ...value };
}

describe('the schema of a batch file', () => {
  const schema = z.fromJSONSchema(batchSchema() as Parameters<typeof z.fromJSONSchema>[0]);
  const isValid = (text: string) => schema.safeParse(parse(text)).success;

  test('accepts the files of docs/batch.md', () => {
    const docs = readFileSync(`${REPOSITORY}docs/batch.md`, 'utf8');
    const files = [...docs.matchAll(/```(?:yaml|json)\n([\s\S]*?)```/g)].map(([, file = '']) => file);
    expect(files.map(isValid)).toEqual([true, true, true]);
  });

  test.each([
    ['a $schema', '{ $schema: s.json, sources: [a] }', true],
    ['a list or one value', '{ sources: [{ source: a, split: [train, eval] }, { source: b, split: train }] }', true],
    ['probes', '{ defaults: { probes: all }, sources: [{ source: a, probes: 4 }] }', true],
    ['an unknown key', '{ sources: [{ source: a, limitt: 4 }] }', false],
    ['a number out of range', '{ defaults: { limit: 0 }, sources: [a] }', false],
    ['an unknown choice', '{ defaults: { probe-turns: last }, sources: [a] }', false],
    ['no sources', '{ sources: [] }', false],
  ])('%s', (_, text, expected) => expect(isValid(text)).toBe(expected));
});
