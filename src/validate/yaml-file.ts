import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, visit } from 'yaml';
import { ERRNO_REASONS, UserError } from '../errors.js';
import { errno, readNoFollow } from '../files.js';
import { withoutMark } from '../json/utf8.js';
import { LIMITS, limitMessage } from '../limits.js';
import { yamlDocument, yamlValues } from '../read-yaml.js';
import type { UnreadableFile, YamlFile } from '../rules/index.js';

export function isReadable(file: YamlFile | UnreadableFile): file is YamlFile {
  return 'value' in file;
}

/**
 * Reads a YAML file of bounded size as PyYAML does, and keeps the lines of its values.
 * @param file path below the root
 */
export async function readYamlFile(root: string, file: string): Promise<YamlFile | UnreadableFile> {
  try {
    const bytes = await readNoFollow(join(root, file), LIMITS.configBytes);
    if (bytes === 'too-large') return { file, problem: limitMessage('configBytes') };
    if (bytes === 'not-a-file') return { file, problem: 'is not a regular file' };
    if (!isUtf8(bytes)) return { file, problem: 'is not UTF-8' };
    return parseYamlFile(file, withoutMark(bytes).toString());
  } catch (error) {
    const reason = ERRNO_REASONS[errno(error) ?? ''];
    if (reason === undefined) throw error;
    return { file, problem: `cannot be read: ${reason[0]}` };
  }
}

export function parseYamlFile(file: string, text: string): YamlFile | UnreadableFile {
  const lineCounter = new LineCounter();
  try {
    const document = yamlDocument(text, file, { version: '1.1', lineCounter });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) {
      const problem = `is not valid YAML: ${fault.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '')}`;
      return { file, problem, line: lineCounter.linePos(fault.pos[0]).line };
    }
    const value = yamlValues(document, file, lineCounter) ?? null;
    const lineOf = (offset: number) => lineCounter.linePos(offset).line;
    return {
      file,
      value,
      line: (keys) => lineAt(document.contents as Node | null, keys, lineOf),
      repeated: repeatedKeys(document, lineOf),
    };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const line = /:(\d+):\d+$/.exec(error.where ?? '')?.[1];
    return { file, problem: error.message, ...(line === undefined ? {} : { line: Number(line) }) };
  }
}

/** The line of the key or item that leads to a value. */
function lineAt(
  contents: Node | null,
  keys: readonly (string | number)[],
  lineOf: (offset: number) => number,
): number | undefined {
  let node: unknown = contents;
  let offset = contents?.range?.[0];
  for (const key of keys) {
    if (isMap(node)) {
      const pair = node.items.findLast(({ key: one }) => isScalar(one) && String(one.value) === String(key));
      offset = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
      node = pair?.value;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
      offset = (node as Node | undefined)?.range?.[0];
    } else return undefined;
    if (offset === undefined || isAlias(node)) break;
  }
  return offset === undefined ? undefined : lineOf(offset);
}

function repeatedKeys(document: Document, lineOf: (offset: number) => number): YamlFile['repeated'] {
  const found: { key: string; line: number }[] = [];
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key) || key.value === '<<') continue;
        const name = String(key.value);
        if (keys.has(name)) found.push({ key: name, line: lineOf(key.range?.[0] ?? 0) });
        keys.add(name);
      }
    },
  });
  return found;
}
