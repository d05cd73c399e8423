import { isUtf8 } from 'node:buffer';
import { exceededLimit } from '../../../json/bounds.js';
import { limitMessage } from '../../../limits.js';
import { valueProblem } from '../../json-text.js';
import type { LineFault } from './facts.js';

/** A line of a file, without its line break; `too-long` for one over the limit, which is skipped. */
export type RowLine = Buffer | 'too-long';

/** A parsed line, or why it is not JSON that Gym reads. */
export interface ParsedLine {
  text: string;
  value: unknown;
  fault: LineFault | undefined;
}

/** Reads one line as Gym and NeMo RL would: UTF-8, JSON, and what orjson accepts of it. */
export function parseRow(line: RowLine, isFirst: boolean): ParsedLine {
  if (line === 'too-long') return failed('row-size', limitMessage('rowBytes'));
  if (!isUtf8(line)) return failed('row-utf8', 'is not UTF-8');
  const text = line.toString();
  if (isFirst && text.startsWith('\ufeff')) return failed('row-utf8', 'begins with a byte order mark');
  if (/^\s*$/.test(text)) return failed('row-blank', 'is blank');
  const exceeded = exceededLimit(line);
  if (exceeded === 'jsonValues') return failed('row-size', limitMessage(exceeded));
  if (exceeded === 'jsonDepth') return failed('row-depth', limitMessage(exceeded));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return notJson(text, error as Error);
  }
  const problem = valueProblem(text, value);
  const fault = problem && { code: `row-${problem.kind}`, problem: problem.problem };
  return { text, value, fault };
}

function failed(code: string, problem: string): ParsedLine {
  return { text: '', value: undefined, fault: { code, problem } };
}

/** Python writes NaN and Infinity, which JSON does not have. */
function notJson(text: string, error: Error): ParsedLine {
  const constant = /[[:,]\s*(NaN|-?Infinity)\b/.exec(text)?.[1];
  if (constant !== undefined) return failed('row-nan', `has ${constant}, which is not JSON`);
  const place = /position (\d+)/.exec(error.message)?.[1];
  return failed('row-json', `is not valid JSON${place === undefined ? '' : ` (character ${Number(place) + 1})`}`);
}
