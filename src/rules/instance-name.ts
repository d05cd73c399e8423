import { error, type Finding, quote } from './finding.js';
import { BUILT_IN_SERVERS, COMMAND_KEYS, CONFIG_FIELDS, RESERVED_KEYS } from './gym-names.js';
import { windowsFault } from './windows-names.js';

/** The name is part of the path of the venv's Python, and old kernels read only 127 bytes of a script's first line. */
const LONGEST = 64;

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
  if (name.length > LONGEST) return refuse('name-length', `is longer than ${LONGEST} characters`);
  const fault = windowsFault(name);
  if (fault !== undefined) return refuse('name-windows', fault);
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
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '')
    .slice(0, LONGEST - '_env'.length);
  if (slug === '') return 'my_env';
  return /^\d/.test(slug) ? `env_${slug}` : `${slug}_env`;
}
