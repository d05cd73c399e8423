import { WHEELS } from './formats.js';
import { type Rule, rule } from './rule.js';

/** What uv reports about one of the installs of a job. */
export interface Proof {
  /** The first install: all wheels. The second: the venv of a server. */
  install: 'wheels' | 'venv';
  /** The file whose requirements were resolved; `wheels` for those of the image's own servers. */
  file: string;
  /** uv's reason, on one line; undefined if it succeeded. */
  reason: string | undefined;
}

const first = rule<readonly Proof[]>(
  {
    code: 'closure-wheels',
    severity: 'error',
    rule: `The wheels in ${WHEELS}/ can be installed together without network`,
    why: 'The job installs all of them at once, from this folder alone (`uv pip install --no-index`).',
    when: 'start',
  },
  (proofs) =>
    proofs
      .filter(({ install, reason }) => install === 'wheels' && reason !== undefined)
      .map(({ file, reason }) => {
        const fix = 'create the closure again: gymgen package --format wheels-v1';
        return { at: { file }, subject: `${WHEELS}/`, problem: `is not a closure: ${reason}`, fix };
      }),
);

const second = rule<readonly Proof[]>(
  {
    code: 'closure-venv',
    severity: 'error',
    rule: `The venv of each server can be created from ${WHEELS}/ alone`,
    why: 'Gym installs nemo-gym, ray, openai and the requirements of the server, and the job has no network.',
    when: 'start',
  },
  (proofs) =>
    proofs
      .filter(({ install, reason }) => install === 'venv' && reason !== undefined)
      .map(({ file, reason }) => {
        const subject =
          file === WHEELS ? 'the venv of a server' : `the venv of ${file.replace('/requirements.txt', '')}`;
        const fix = `add the wheels to ${WHEELS}/, or change the requirement`;
        return { at: { file }, subject, problem: `cannot be created: ${reason}`, fix };
      }),
);

export const CLOSURE_RULES: readonly Rule<readonly Proof[]>[] = [first, second];
