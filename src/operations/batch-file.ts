import { existsSync } from 'node:fs';
import path from 'node:path';
import { isMap, isNode, isScalar, LineCounter } from 'yaml';
import { z } from 'zod';
import { closest } from '../closest.js';
import { UsageError, UserError } from '../errors.js';
import { readRegularSync } from '../files.js';
import { type Flags, flagOf, isGenerateOption, type NamedOption, optionsOf } from '../options/index.js';
import { gymgenCommand } from '../printed-command.js';
import { yamlDocument, yamlValues } from '../read-yaml.js';
import { programPath } from './request.js';

/** A batch file, with the options of each source in the form of the command line. */
export interface BatchFile {
  root?: string;
  sources: BatchSource[];
}

export interface BatchSource {
  source: string;
  flags: Flags;
  /** Its place in the file, for messages. */
  where: string;
}

/** Errors that the parser words for programmers, by its codes. */
const ERRORS: Readonly<Record<string, string>> = { MULTIPLE_DOCS: 'a second YAML document; write one per file' };

/** Mistakes in one message. */
const REPORTED = 20;

/** Options of the command line that a file may contain. */
export const ACCEPTED = optionsOf('batch').filter(({ name }) => isGenerateOption(name));
const Filled = z.string().regex(/\S/, 'is empty');
const Text = z.union([Filled, z.number(), z.boolean()], 'must be a single value').transform(String);

/** By long name: a text, a list of texts, or a boolean. */
const Settings = z.strictObject(
  Object.fromEntries(ACCEPTED.map((option) => [keyOf(option), schemaOf(option).optional()])),
);
/** What a batch file contains. */
export const BatchSchema = z.strictObject({
  $schema: z.string().optional().describe('JSON schema of this file, for editors'),
  root: Filled.optional().describe('Gym root'),
  defaults: Settings.default({}).describe('Options for every source'),
  sources: z
    .array(
      z.union(
        [Filled, z.strictObject({ source: z.string('is missing').regex(/\S/, 'is empty'), ...Settings.shape })],
        'must be a source, or a map with a source',
      ),
      'must be a list of sources',
    )
    .min(1, 'must name a source')
    .describe('Sources, each alone or with its own options'),
});

/**
 * Reads a batch file. Its paths are relative to its own folder.
 * @throws UserError with the line and column of each mistake
 */
export function readBatchFile(file: string): BatchFile {
  const lines = new LineCounter();
  const document = yamlDocument(readText(file), file, { lineCounter: lines, uniqueKeys: true, merge: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const placeOf: PlaceOf = (keys, isKey = false) => {
    // For a missing key, the place of its parent.
    for (let length = keys.length; length > 0; length -= 1) {
      const parent = document.getIn(keys.slice(0, length - 1), true);
      const pair = isMap(parent)
        ? parent.items.find(({ key }) => isScalar(key) && key.value === keys[length - 1])
        : null;
      const node = isKey && pair ? pair.key : document.getIn(keys.slice(0, length), true);
      if (isNode(node) && node.range) return at(node.range[0]);
    }
    return at(0);
  };
  if (document.errors.length > 0) {
    refuse(
      file,
      document.errors.map(({ pos, code, message }) => `${at(pos[0])}: ${ERRORS[code] ?? message.split('\n')[0]}`),
    );
  }
  const parsed = BatchSchema.safeParse(yamlValues(document, file, lines));
  if (!parsed.success)
    refuse(
      file,
      parsed.error.issues.slice(0, REPORTED).flatMap((issue) => mistakes(issue, placeOf)),
    );
  const { root, defaults, sources } = parsed.data as z.infer<typeof BatchSchema>;
  const folder = path.dirname(file);
  return {
    ...(root === undefined ? {} : { root: path.resolve(folder, root) }),
    sources: sources.map((entry, index) => {
      const { source, ...own } = typeof entry === 'string' ? { source: entry } : entry;
      return {
        source: fromFolder(source, folder),
        flags: flagsOf({ ...defaults, ...own }, folder),
        where: placeOf(['sources', index]),
      };
    }),
  };
}

type Issue = z.core.$ZodIssue;
/** The place of a value, or of its key. */
type PlaceOf = (keys: readonly PropertyKey[], isKey?: boolean) => string;

function mistakes(issue: Issue, placeOf: PlaceOf, before: readonly PropertyKey[] = []): string[] {
  const keys = [...before, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, REPORTED)
      .map((key) => `${placeOf([...keys, key], true)}: unknown option ${key}${meant(key, keys)}`);
  }
  if (issue.code === 'invalid_union') {
    // A source is a text or a map. If there is a map, report its mistakes.
    const nearest = issue.errors.reduce((best, one) => (depth(one) > depth(best) ? one : best));
    if (depth(nearest) > 0) return nearest.flatMap((inner) => mistakes(inner, placeOf, keys));
  }
  return [`${placeOf(keys)}: ${String(keys.at(-1) ?? 'the file')}: ${issue.message}`];
}

/** The key that was probably meant, among those of its place in the file. */
function meant(key: string, parents: readonly PropertyKey[]): string {
  const known = [...ACCEPTED.map(keyOf), ...(parents[0] === 'sources' ? ['source'] : [])];
  const near = closest(key, parents.length === 0 ? ['root', 'defaults', 'sources'] : known);
  return near === undefined ? '' : `: did you mean ${near}?`;
}

function depth(issues: readonly Issue[]): number {
  const depths = issues.map(({ path: keys, code }) => keys.length + (code === 'unrecognized_keys' ? 1 : 0));
  return depths.reduce((deepest, one) => Math.max(deepest, one), 0);
}

function refuse(file: string, details: string[]): never {
  throw new UsageError('invalid batch file; nothing was written', {
    where: file,
    details: details.slice(0, REPORTED),
    fix: `correct the file; its keys are the options of ${gymgenCommand`write --help`}, without the dashes`,
  });
}

function readText(file: string): string {
  try {
    return readRegularSync(file, 'configBytes');
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    throw new UsageError(`cannot read the batch file: ${(cause as Error).message}`, {
      where: file,
      fix: 'pass a readable YAML file',
      cause,
    });
  }
}

/** The key of an option in a batch file. */
export function keyOf({ name }: NamedOption): string {
  return flagOf(name).replace(/^--/, '');
}

function schemaOf({ value, repeatable }: NamedOption) {
  if (value === undefined) return z.boolean();
  const list = z.union([Text.transform((text) => [text]), z.array(Text)], 'must be a value, or a list of values');
  return repeatable ? list : Text;
}

function flagsOf(settings: Record<string, unknown>, folder: string): Flags {
  const values = ACCEPTED.map((option) => [option.name, fromFile(option, settings[keyOf(option)], folder)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== false));
}

/** A value whose relative path is resolved from the folder of the batch file. */
function fromFile({ path: kind }: NamedOption, value: unknown, folder: string): unknown {
  if (typeof value !== 'string') return value;
  if (kind === 'file') return path.resolve(folder, value);
  if (kind === 'program') return programPath(value, folder);
  return kind === '@file' && value.startsWith('@') ? `@${path.resolve(folder, value.slice(1))}` : value;
}

/** An existing path, resolved from the folder of the batch file; else a URL or the name of a bundle. */
function fromFolder(source: string, folder: string): string {
  const file = path.resolve(folder, source);
  return !source.includes('://') && existsSync(file) ? file : source;
}
