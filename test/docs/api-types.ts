// The types of the library: options from the table, and results from the schemas of the documents.

import { z } from 'zod';
import { libraryName, libraryOptions } from '../../src/api/arguments.js';
import {
  type CommandName,
  helpOf,
  isGenerateOption,
  type NamedOption,
  type OptionName,
} from '../../src/options/index.js';
import { DOCUMENTS } from './documents.js';
import { shapeOf } from './option-shape.js';
import { interfaceText, type Property, propertiesOf, type Schema, typeName } from './typescript.js';

const header = (source: string) => `\
// Generated from ${source}. To update: GYMGEN_UPDATE_GOLDEN=1 npx vitest run --project unit test/docs

`;

/** The generated modules of src/api/, by path. */
export function apiTypes(): [path: string, text: string][] {
  const { results, parts } = resultTypes();
  const from = header('src/documents/schemas/');
  return [
    ['src/api/options.ts', header('src/options/') + IMPORTS + optionTypes().join('\n')],
    ['src/api/results.ts', from + importText(results, parts.names, './result-parts.js') + results],
    ['src/api/result-parts.ts', from + importText(parts.text, ['ErrorCode'], '../errors.js') + parts.text],
  ];
}

const IMPORTS =
  "import type { BatchRunOptions } from './batch-reporter.js';\nimport type { RunOptions } from './run.js';\n\n";

/** The import of the names that a text uses. */
function importText(text: string, names: readonly string[], from: string): string {
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).sort((a, b) => a.localeCompare(b, 'en'));
  const line = `import type { ${used.join(', ')} } from '${from}';`;
  return `${line.length <= 120 ? line : line.replace('{ ', '{\n  ').replaceAll(', ', ',\n  ').replace(' }', ',\n}')}\n\n`;
}

function optionTypes(): string[] {
  const [write, check, update] = [libraryOptions('write'), libraryOptions('check'), libraryOptions('update')];
  const source = libraryOptions('record');
  const generate = write.filter(({ name }) => isGenerateOption(name) && !has(source, name));
  const generated = [...source, ...generate];
  const lock = update.filter(({ name }) => has(check, name));
  const ofLock: OptionName[] = ['source', 'runSource'];
  const own = (command: CommandName) => libraryOptions(command).filter(({ name }) => !has(generated, name));
  return [
    options('SourceOptions', 'Options of every function that reads a source.', source),
    options('GenerateOptions', 'Options that decide what is generated.', generate, ['SourceOptions']),
    options('WriteOptions', 'Options of `write`.', own('write'), ['GenerateOptions', 'RunOptions']),
    options(
      'CheckOptions',
      'Options of `check` with a source.',
      own('check').filter(({ name }) => !ofLock.includes(name)),
      ['GenerateOptions', 'RunOptions'],
    ),
    alias('InspectOptions', 'Options of `inspect`.', 'GenerateOptions & RunOptions'),
    alias('RecordOptions', 'Options of `record`.', 'SourceOptions & RunOptions'),
    options('LockOptions', 'Options in addition to those of the lock files.', lock, ['RunOptions']),
    options(
      'CheckRootOptions',
      'Options of `check` with the sources in the lock files.',
      own('check').filter(({ name }) => !has(lock, name)),
      ['LockOptions'],
    ),
    options(
      'UpdateOptions',
      'Options of `update`.',
      update.filter(({ name }) => !has(lock, name)),
      ['LockOptions'],
    ),
    options('BatchOptions', 'Options of `batch`.', own('batch'), ['GenerateOptions', 'BatchRunOptions']),
  ];
}

function has(options: readonly NamedOption[], name: OptionName): boolean {
  return options.some((option) => option.name === name);
}

function options(name: string, doc: string, all: readonly NamedOption[], parents: string[] = []): string {
  return interfaceText(name, all.map(property), doc, parents);
}

function property(option: NamedOption): Property {
  const { repeatable: _, ...once } = option; // a list in the library
  return {
    name: libraryName(option),
    type: shapeOf(option).typescript,
    doc: withUnit(option, helpOf(once)),
    isOptional: true,
  };
}

/** The help of an option. On the command line, the flag names the unit. */
function withUnit({ flags }: NamedOption, help: string): string {
  return flags.includes('<seconds>') ? help.replace(/(?= \(default: )|$/, ', in seconds') : help;
}

function alias(name: string, doc: string, type: string): string {
  return `/** ${doc} */\nexport type ${name} = ${type};\n`;
}

const RESULTS = ['write', 'check', 'update', 'batch', 'record', 'inspect'];

function resultTypes() {
  const shared = new Map<string, Schema>();
  const results = DOCUMENTS.filter(({ heading }) => RESULTS.includes(heading)).map(({ heading, schema }) => {
    const json = z.toJSONSchema(schema, { io: 'output' }) as Schema;
    for (const [id, definition] of Object.entries(json.$defs ?? {})) shared.set(id, definition);
    return interfaceText(`${typeName(heading)}Result`, propertiesOf(json), `The result of \`${heading}\`.`);
  });
  const parts = [...shared].filter(([id]) => id !== 'Error code');
  const texts = parts.map(([id, schema]) => interfaceText(typeName(id), propertiesOf(schema), schema.description));
  return {
    results: results.join('\n'),
    parts: { text: texts.join('\n'), names: parts.map(([id]) => typeName(id)) },
  };
}
