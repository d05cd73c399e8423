import { escapeUnits } from '../display-text.js';
import { type Finding, quote } from './finding.js';
import { windowsFault } from './gym-names.js';

/** What 255 bytes of a file name leave beside `_prepare.<instance>.<dataset>.jsonl`. */
const LONGEST = 100;

/**
 * `split-…`: each split is `data/<split>.jsonl`, which `gym eval run --input` hands to Hydra unquoted
 * (nemo_gym/cli/main.py, `_value_flag`). `example` says that the folder gets a `data/example.jsonl` of its own.
 */
export function splitNames(names: readonly string[], { example }: { example: boolean }): Finding[] {
  return [...names.flatMap((name) => splitName(name, example)), ...collisions(names)];
}

function splitName(name: string, example: boolean): Finding[] {
  const refuse = (
    code: string,
    what: string,
    fix = 'leave it out: --split with the names of the others',
  ): Finding[] => [{ code, where: `split ${quote(name)}`, what, fix }];
  if (!/^[A-Za-z0-9_@%+ .-]*$/.test(name)) return refuse('split-file', "can't be a file name that Gym takes");
  if (name.trim() !== name || name === '') return refuse('split-file', "can't be a file name: it begins or ends blank");
  if (/^[.-]/.test(name)) return refuse('split-file', `would be a ${name[0] === '.' ? 'hidden file' : 'flag'}`);
  if (name.length > LONGEST) return refuse('split-file', `is longer than ${LONGEST} characters`);
  const fault = windowsFault(name);
  if (fault !== undefined) return refuse('split-windows', fault);
  // nemo_gym/train_data_utils.py writes these beside the rows, and pruning them must not hit rows
  if (/_(?:prepare|metrics)$/i.test(name))
    return refuse('split-derived', 'is the name of a file that Gym derives from rows');
  if (/^example_rollouts$/i.test(name)) return refuse('split-derived', 'is the file of rollouts that Gym looks for');
  if (example && /^example$/i.test(name)) {
    return refuse(
      'split-example',
      "is the file of Gym's five examples",
      'drop --datasets, or leave the split out with --split',
    );
  }
  // nemo_gym/cli/env.py, `_validate_data_single`
  if (example && /conflict/i.test(name)) {
    return refuse(
      'split-example',
      "is taken for a conflict by Gym's check of the example data (data/*conflict*)",
      'drop --datasets, or leave the split out with --split',
    );
  }
  return [];
}

/** macOS's file system takes names that differ in case for one. */
function collisions(names: readonly string[]): Finding[] {
  const taken = new Map<string, string>();
  return names.flatMap((name) => {
    const file = name.normalize('NFC').toLowerCase();
    const other = taken.get(file);
    if (other === undefined) {
      taken.set(file, name);
      return [];
    }
    return [
      {
        code: 'split-collision',
        where: `split ${escaped(name)}`,
        what:
          name.normalize('NFC') === other.normalize('NFC')
            ? `differs from split ${escaped(other)} in its Unicode form only`
            : `is one file with split ${escaped(other)} where case doesn't count`,
        fix: 'write one of them: --split with its name',
      },
    ];
  });
}

/** With what looks the same in two names told apart. */
function escaped(name: string): string {
  return quote(name).replace(/[^\x20-\x7e]/g, escapeUnits);
}
