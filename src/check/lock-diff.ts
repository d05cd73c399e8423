import { isRecord } from '../json/guards.js';

/** Keys of a lock file whose values say little by themselves. */
const BY_FILE = ['files', 'theirs', 'prompts'];

/** Upper bound on the files that are named for each key. */
const NAMED = 20;

/**
 * The lines of a diff of two lock files: which entries of `files`, `theirs` and `prompts` differ, and a diff of the rest.
 * @param textDiff makes the lines of a unified diff
 */
export function lockDiff(
  before: string,
  after: string,
  textDiff: (before: string, after: string) => string[],
): string[] {
  const [old, fresh] = [before, after].map(
    (text) => JSON.parse(text.replace(/^\ufeff/, '')) as Record<string, unknown>,
  );
  const entries = BY_FILE.flatMap((key) => {
    const files = differing(old?.[key], fresh?.[key]);
    const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : '';
    return files.length > 0 ? [`~ ${key}: ${files.slice(0, NAMED).join(', ')}${more}`] : [];
  });
  const lines = [...entries, ...textDiff(withoutFiles(old), withoutFiles(fresh))];
  return lines.length > 0 ? lines : ['~ only the JSON formatting'];
}

function differing(old: unknown, fresh: unknown): string[] {
  const [one, other] = [isRecord(old) ? old : {}, isRecord(fresh) ? fresh : {}];
  const files = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...files].filter((file) => JSON.stringify(one[file]) !== JSON.stringify(other[file])).sort();
}

function withoutFiles(lock: Record<string, unknown> = {}): string {
  const rest = Object.fromEntries(Object.entries(lock).filter(([key]) => !BY_FILE.includes(key)));
  return `${JSON.stringify(rest, null, 2)}\n`;
}
