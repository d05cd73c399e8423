import { escapeUnits } from '../display-text.js';
import { error, type Finding, OMIT_SPLIT, quote } from './finding.js';
import { windowsFault } from './windows-names.js';

/** A file name has up to 255 bytes, and Gym appends `_prepare.<instance>.<dataset>.jsonl`. */
const LONGEST = 100;

/**
 * `split-…`: each split becomes the file `data/<split>.jsonl`, which `gym eval run --input` passes to Hydra unquoted
 * (`_value_flag`, nemo_gym/cli/main.py).
 * @param example whether the folder gets `data/example.jsonl`
 */
export function splitNames(names: readonly string[], { example }: { example: boolean }): Finding[] {
  return [...names.flatMap((name) => splitName(name, example)), ...collisions(names)];
}

function splitName(name: string, example: boolean): Finding[] {
  const refuse = (code: string, problem: string, fix = `omit it: ${OMIT_SPLIT}`) => [
    error(code, `split ${quote(name)}`, problem, fix),
  ];
  if (!/^[A-Za-z0-9_@%+ .-]*$/.test(name)) return refuse('split-file', 'is not a file name that Gym accepts');
  if (name === '') return refuse('split-file', 'is not a file name: it is empty');
  if (name.trim() !== name) return refuse('split-file', 'begins or ends with a space');
  if (/^[.-]/.test(name)) return refuse('split-file', `would be a ${name[0] === '.' ? 'hidden file' : 'flag'}`);
  if (name.length > LONGEST) return refuse('split-file', `is longer than ${LONGEST} characters`);
  const fault = windowsFault(name);
  if (fault !== undefined) return refuse('split-windows', fault);
  // nemo_gym/train_data_utils.py writes these files next to the rows, and gymgen deletes them when rows change.
  if (/_(?:prepare|metrics)$/i.test(name)) {
    return refuse('split-derived', 'is the name of a file that Gym derives from rows');
  }
  if (/^example_rollouts$/i.test(name)) return refuse('split-derived', "is the name of Gym's example rollouts");
  const withoutDatasets = `omit --datasets, or omit the split: ${OMIT_SPLIT}`;
  if (example && /^example$/i.test(name)) {
    return refuse('split-example', "is the name of Gym's five example rows", withoutDatasets);
  }
  // `_validate_data_single` (nemo_gym/cli/env.py)
  if (example && /conflict/i.test(name)) {
    return refuse('split-example', "matches data/*conflict*, which Gym's data check refuses", withoutDatasets);
  }
  return [];
}

/** `split-collision`: some file systems ignore case or the Unicode normalization form. */
function collisions(names: readonly string[]): Finding[] {
  const taken = new Map<string, string>();
  return names.flatMap((name) => {
    const file = name.normalize('NFC').toLowerCase();
    const other = taken.get(file);
    if (other === undefined) {
      taken.set(file, name);
      return [];
    }
    const problem =
      name.normalize('NFC') === other.normalize('NFC')
        ? `differs from split ${escaped(other)} only in its Unicode form`
        : `is the same file as split ${escaped(other)} if case is ignored`;
    const fix = 'write one of them: pass its name to --split';
    return [error('split-collision', `split ${escaped(name)}`, problem, fix)];
  });
}

/** A quoted name with escapes, since two names may look the same. */
function escaped(name: string): string {
  return quote(name).replace(/[^\x20-\x7e]/g, escapeUnits);
}
