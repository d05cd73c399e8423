import type { Rule, RuleText } from '../rule.js';
import type { RowFacts } from './facts.js';
import { onRow } from './on-row.js';

/** A rule whose problem the reader of the file finds. */
function fault(text: Omit<RuleText, 'severity'>, subject: string, fix: string): Rule<RowFacts> {
  return onRow({ ...text, severity: 'error' }, ({ fault }) =>
    fault?.code === text.code ? { subject, problem: fault.problem, fix } : undefined,
  );
}

const POST = 'One such row ends the job: the request with all its rows fails.';

export const LINE_RULES: readonly Rule<RowFacts>[] = [
  fault(
    {
      code: 'row-blank',
      rule: 'A file of rows has no blank line',
      why: 'The check in the container skips it; NeMo RL stops with JSONDecodeError.',
      when: 'start',
    },
    'line',
    'remove it',
  ),
  fault(
    {
      code: 'row-utf8',
      rule: 'Rows are UTF-8, without a byte order mark',
      why: 'NeMo RL reads the file as UTF-8 (UnicodeDecodeError).',
      when: 'start',
    },
    'line',
    'save the file as UTF-8',
  ),
  fault(
    {
      code: 'row-json',
      rule: 'Each line is valid JSON',
      why: 'NeMo RL reads each line on its own (JSONDecodeError).',
      when: 'start',
    },
    'line',
    'write one JSON object per line',
  ),
  fault(
    {
      code: 'row-nan',
      rule: 'No value is NaN or Infinity',
      why: 'They are not JSON. Python reads them; orjson and other readers do not.',
      when: 'rollout',
    },
    'line',
    'write null, or leave the key out',
  ),
  fault(
    {
      code: 'row-surrogate',
      rule: 'No text has half of a surrogate pair',
      why: `Gym sends rows with orjson, which rejects it (TypeError). ${POST}`,
      when: 'rollout',
    },
    'row',
    'replace the escape \\ud800 to \\udfff with a character',
  ),
  fault(
    {
      code: 'row-number',
      rule: 'Integers fit into 64 bits, and other numbers are finite',
      why: `orjson rejects others. ${POST}`,
      when: 'rollout',
    },
    'row',
    'write the number as a string',
  ),
  fault(
    {
      code: 'row-depth',
      rule: 'A row has at most 128 levels',
      why: 'pydantic reads 200 levels and orjson writes 254, and Gym nests the row in a request and a rollout.',
      when: 'rollout',
    },
    'row',
    'flatten it',
  ),
  fault(
    {
      code: 'row-size',
      rule: 'A row has at most 16 MiB and 1,000,000 values',
      why: 'Each rollout keeps its row; gymgen does not read larger ones.',
      when: 'rollout',
    },
    'row',
    'shorten it, or load the data in the server',
  ),
];
