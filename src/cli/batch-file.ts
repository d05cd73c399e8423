import { existsSync } from 'node:fs';
import path from 'node:path';
import { Command, type Option } from 'commander';
import { isMap, isNode, isScalar, LineCounter } from 'yaml';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { readRegularSync } from '../files.js';
import { gymgenCommand } from '../printed-command.js';
import { yamlDocument, yamlValues } from '../yaml-text.js';
import { programPath } from './flag-types.js';
import { addGenerateOptions, type WriteFlags } from './write-options.js';

/** What a batch file says, with the flags of each source as the command line would give them. */
export interface BatchFile {
  root?: string;
  sources: BatchSource[];
}

export interface BatchSource {
  source: string;
  flags: WriteFlags;
  /** Where it is said, for messages. */
  where: string;
}

/** Mistakes that are reported at once. */
const TOLD = 20;

const OPTIONS = addGenerateOptions(new Command()).options;
const Filled = z.string().regex(/\S/, 'is empty');
const Text = z.union([Filled, z.number(), z.boolean()], 'wants a text').transform(String);

/** The options of the command line by their long names: a text, a list of texts, or yes and no. */
const Settings = z.strictObject(
  Object.fromEntries(OPTIONS.map((option) => [longName(option), schemaOf(option).optional()])),
);
const Batch = z.strictObject({
  root: Filled.optional(),
  defaults: Settings.default({}),
  sources: z
    .array(
      z.union(
        [Filled, z.strictObject({ source: z.string('is missing').regex(/\S/, 'is empty'), ...Settings.shape })],
        'wants a source, or a map with one',
      ),
    )
    .min(1, 'names no source'),
});

/**
 * Reads a batch file. Its paths are from its own folder.
 * @throws UserError with the line and column of each mistake
 */
export function readBatchFile(file: string): BatchFile {
  const lines = new LineCounter();
  const document = yamlDocument(readText(file), file, { lineCounter: lines, uniqueKeys: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const placeOf: PlaceOf = (keys, isKey = false) => {
    // The nearest that is there, where what is wrong is that something isn't.
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
      document.errors.map(({ pos, message }) => `${at(pos[0])}: ${message.split('\n')[0]}`),
    );
  }
  const parsed = Batch.safeParse(yamlValues(document, file, lines));
  if (!parsed.success)
    refuse(
      file,
      parsed.error.issues.slice(0, TOLD).flatMap((issue) => problems(issue, placeOf)),
    );
  const { root, defaults, sources } = parsed.data as z.infer<typeof Batch>;
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
/** Where a value is, or its key. */
type PlaceOf = (keys: readonly PropertyKey[], isKey?: boolean) => string;

function problems(issue: Issue, placeOf: PlaceOf, before: readonly PropertyKey[] = []): string[] {
  const keys = [...before, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, TOLD).map((key) => `${placeOf([...keys, key], true)}: there is no option ${key}`);
  }
  if (issue.code === 'invalid_union') {
    // A source is a text or a map: what is wrong with the map is what was meant, where there is one.
    const nearest = issue.errors.reduce((best, one) => (depth(one) > depth(best) ? one : best));
    if (depth(nearest) > 0) return nearest.flatMap((inner) => problems(inner, placeOf, keys));
  }
  return [`${placeOf(keys)}: ${String(keys.at(-1) ?? 'the file')}: ${issue.message}`];
}

function depth(issues: readonly Issue[]): number {
  const depths = issues.map(({ path: keys, code }) => keys.length + (code === 'unrecognized_keys' ? 1 : 0));
  return depths.reduce((deepest, one) => Math.max(deepest, one), 0);
}

function refuse(file: string, details: string[]): never {
  throw new UserError(`the batch file has ${details.length === 1 ? 'a mistake' : 'mistakes'}; nothing was written`, {
    where: file,
    details: details.slice(0, TOLD),
    fix: `its options are those of ${gymgenCommand`write --help`}, without the dashes`,
  });
}

function readText(file: string): string {
  try {
    return readRegularSync(file, 'configBytes');
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    throw new UserError(`can't read the batch file: ${(cause as Error).message}`, { where: file, cause });
  }
}

function longName(option: Option): string {
  return (option.long ?? '').replace(/^--/, '');
}

function schemaOf(option: Option) {
  if (option.isBoolean()) return z.boolean();
  const isList = option.defaultValue !== undefined || option.parseArg !== undefined;
  return isList ? z.union([Text.transform((text) => [text]), z.array(Text)], 'wants a text, or a list of texts') : Text;
}

function flagsOf(settings: Record<string, unknown>, folder: string): WriteFlags {
  const flags = OPTIONS.map((option) => [option.attributeName(), settings[longName(option)]] as const);
  const set = Object.fromEntries(flags.filter(([, value]) => value !== undefined && value !== false)) as WriteFlags;
  for (const key of ['appendSystemPrompt', 'prompt', 'toolDoc'] as const) {
    if (set[key]?.startsWith('@')) set[key] = `@${path.resolve(folder, set[key].slice(1))}`;
  }
  if (set.tasks !== undefined) set.tasks = path.resolve(folder, set.tasks);
  if (set.python !== undefined) set.python = programPath(set.python, folder);
  return set;
}

/** A path from the file's folder, where there is something; a URL or a bundle's name as it is. */
function fromFolder(source: string, folder: string): string {
  const file = path.resolve(folder, source);
  return !source.includes('://') && existsSync(file) ? file : source;
}
