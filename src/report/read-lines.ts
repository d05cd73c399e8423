import { UserError } from '../errors.js';
import { openRegular } from '../files.js';
import { endOfString, exceededLimit, QUOTE } from '../json/bounds.js';
import { LineTooLong, lineBatches } from '../json/lines.js';
import { LIMITS, limitMessage, overLimit } from '../limits.js';
import { shellQuote } from '../printed-command.js';
import { countTokenIds } from './token-ids.js';
import { type JsonObject, objectOf } from './values.js';

/** A line of a file: the object that it holds, or why it cannot be used. */
export type Line = { line: number; json: string; value: JsonObject } | { line: number; problem: string };

/**
 * The lines of a rollouts.jsonl, a batch at a time; blank lines are skipped. A run may have been killed while it wrote, so a
 * damaged line does not end the reading. Token ids are replaced by their number.
 * @throws UserError if the file cannot be read, or a line or the file is too long
 */
export async function* readLines(path: string): AsyncGenerator<Line[]> {
  const file = await openRegular(path);
  let line = 0;
  let count = 0;
  try {
    for await (const texts of lineBatches(file.createReadStream({ autoClose: false }))) {
      const batch: Line[] = [];
      for (const text of texts) {
        line += 1;
        if (text.trim() === '') continue;
        count += 1;
        if (count > LIMITS.reportRollouts) throw tooMany(path);
        batch.push(parse(line === 1 ? text.replace(/^\ufeff/, '') : text, line));
      }
      yield batch;
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    throw new UserError(error.message, { where: `${path}:${line + 1}`, fix: 'remove the line', cause: error });
  } finally {
    await file.close();
  }
}

function tooMany(path: string): UserError {
  return overLimit('reportRollouts', {
    where: path,
    fix: `take a sample: shuf -n 20000 ${shellQuote(path)} > sample.jsonl`,
  });
}

function parse(text: string, line: number): Line {
  const json = countTokenIds(text);
  const exceeded = exceededLimit(Buffer.from(json));
  if (exceeded) return { line, problem: limitMessage(exceeded) };
  const value = parsed(json) ?? parsed(withoutNan(json));
  if (value === undefined) return { line, problem: 'not valid JSON' };
  const object = objectOf(value.value);
  if (!object) return { line, problem: 'not a JSON object' };
  if (!('reward' in object) && !('response' in object)) return { line, problem: 'neither a reward nor a response' };
  return { line, json: value.json, value: object };
}

function parsed(json: string): { json: string; value: unknown } | undefined {
  try {
    return { json, value: JSON.parse(json) };
  } catch {
    return undefined;
  }
}

/** Python's json module writes NaN and Infinity as bare words, which JSON does not have. They become null. */
function withoutNan(json: string): string {
  const parts: string[] = [];
  let start = 0;
  const outside = (end: number) => parts.push(json.slice(start, end).replace(/-?Infinity|NaN/g, 'null'));
  for (let at = 0; at < json.length; at += 1) {
    if (json.charCodeAt(at) !== QUOTE) continue;
    outside(at);
    start = at;
    at = endOfString(json, at);
    parts.push(json.slice(start, at + 1));
    start = at + 1;
  }
  outside(json.length);
  return parts.join('');
}
