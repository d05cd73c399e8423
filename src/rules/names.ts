import { escapeUnits } from '../display-text.js';
import { error, type Finding, OMIT_SPLIT, quote } from './finding.js';
import { BUILT_IN_SERVERS, COMMAND_KEYS, CONFIG_FIELDS, RESERVED_KEYS } from './gym-names.js';

/** Device names, with any extension, in any case. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/**
 * Why Windows cannot check out a file or folder with this name, or undefined. Gym roots are often git repositories.
 * @see https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file
 */
export function windowsProblem(name: string): string | undefined {
  if (DEVICES.test(name)) return 'is a device name on Windows';
  return /[. ]$/.test(name) ? 'ends with a dot or a space, which Windows drops' : undefined;
}

/** The name is part of the path of the venv's Python, and old kernels read only 127 bytes of a script's first line. */
const LONGEST_NAME = 64;

const PYTHON_KEYWORDS = new Set(
  `and as assert async await break class continue def del elif else except finally for from global if import in is lambda
  nonlocal not or pass raise return try while with yield`.split(/\s+/),
);

/** Plain keys that YAML 1.1, which Gym reads, takes for booleans or null. */
const YAML_WORDS = new Set(['true', 'false', 'yes', 'no', 'on', 'off', 'null']);

/**
 * `name-…`: the name of an instance, and of its folder. `gym env validate` accepts other names, but they fail later. The name
 * is part of the session cookie `<Class>___<instance>` (`setup_session_middleware`, nemo_gym/server_utils.py), it is passed
 * unquoted to sed (`setup_env_command`, nemo_gym/cli/setup_command.py), and it is a top-level key of the config, where Gym has
 * keys of its own (nemo_gym/global_config.py).
 */
export function instanceName(name: string): Finding[] {
  if (name === '') {
    const problem = "the environment's name has no letters or digits";
    return [error('name-pattern', 'name', problem, 'choose a name: --name my_env')];
  }
  const refuse = (code: string, problem: string) => [
    error(code, `name ${quote(name)}`, problem, `choose another, such as --name ${suggestion(name)}`),
  ];
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    return refuse('name-pattern', 'is not lower-case letters, digits and _, starting with a letter');
  }
  if (name.length > LONGEST_NAME) return refuse('name-length', `is longer than ${LONGEST_NAME} characters`);
  const problem = windowsProblem(name);
  if (problem !== undefined) return refuse('name-windows', problem);
  if (PYTHON_KEYWORDS.has(name)) return refuse('name-keyword', 'is a Python keyword');
  if (YAML_WORDS.has(name)) return refuse('name-keyword', 'is not a string in YAML');
  if (RESERVED_KEYS.has(name) || CONFIG_FIELDS.has(name) || COMMAND_KEYS.has(name)) {
    return refuse('name-reserved', 'is a reserved key of Gym configs');
  }
  if (BUILT_IN_SERVERS.has(name)) return refuse('name-built-in', 'is a built-in resources server of Gym');
  return [];
}

/** A valid name that resembles an invalid one. */
function suggestion(name: string): string {
  const slug = snakeCase(name).slice(0, LONGEST_NAME - '_env'.length);
  if (slug === '') return 'my_env';
  return /^\d/.test(slug) ? `env_${slug}` : `${slug}_env`;
}

/** `My-Env.v2` as `my_env_v2`; "" if there is no letter or digit. */
export function snakeCase(name: string): string {
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, '_');
  return words.replace(/^_+|(?<!_)_+$/g, '');
}

/** A file name has up to 255 bytes, and Gym appends `_prepare.<instance>.<dataset>.jsonl`. */
const LONGEST_SPLIT = 100;

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
  if (name.length > LONGEST_SPLIT) return refuse('split-file', `is longer than ${LONGEST_SPLIT} characters`);
  const problem = windowsProblem(name);
  if (problem !== undefined) return refuse('split-windows', problem);
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
    return refuse('split-example', "matches data/*conflict*, which Gym's data check rejects", withoutDatasets);
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
