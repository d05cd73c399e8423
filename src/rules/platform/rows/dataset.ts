import { quote } from '../../finding.js';
import { TRAINING, VALIDATION } from '../formats.js';
import { type Rule, type RuleText, rule } from '../rule.js';

/** The files of a dataset, and how many lines each has. */
export interface DatasetFacts {
  /** Names of the files in the folder. */
  files: readonly string[];
  /** Lines by the name of the file. */
  rows: ReadonlyMap<string, number>;
  /** Whether the target is the folder, not one file. */
  isFolder: boolean;
}

const training = rule<DatasetFacts>(
  {
    code: 'training-missing',
    severity: 'error',
    rule: `A dataset has ${TRAINING} at its root`,
    why: 'Submit looks for this name.',
    when: 'submit',
  },
  ({ files, isFolder }) => {
    if (!isFolder || files.includes(TRAINING)) return [];
    const other = files.find((file) => file !== VALIDATION && file.endsWith('.jsonl'));
    const fix = other === undefined ? `add ${TRAINING}` : `rename ${quote(other)}`;
    return [{ at: { file: TRAINING }, subject: 'dataset', problem: `has no ${TRAINING}`, fix }];
  },
);

const rows = rule<DatasetFacts>(
  {
    code: 'rows-none',
    severity: 'error',
    rule: 'A file of rows is not empty; validation.jsonl may be absent',
    why: 'The check in the container rejects an empty file (`validate_dataset`).',
    when: 'start',
  },
  ({ rows }) =>
    [...rows]
      .filter(([, count]) => count === 0)
      .map(([file]) => {
        const fix = file === VALIDATION ? 'remove it, or add rows' : 'add rows';
        return { at: { file }, subject: quote(file), problem: 'is empty', fix };
      }),
);

/** Found while the file is read. */
export const ROW_TWICE: RuleText = {
  code: 'row-twice',
  severity: 'warning',
  rule: `No two rows of ${TRAINING} are equal`,
  why: 'Gym counts them as one task. In validation.jsonl, a repeated row is played several times.',
  when: 'training',
};

export const DATASET_RULES: readonly Rule<DatasetFacts>[] = [training, rows];
