import { type Finding, quote } from './finding.js';
import { BUILT_IN_SERVERS, COMMAND_KEYS, CONFIG_FIELDS, RESERVED_KEYS, windowsFault } from './gym-names.js';

/** A server's venv lies below its folder, and its scripts' first line, which holds that path, has 127 bytes on old kernels. */
const LONGEST = 64;

const PYTHON_KEYWORDS = new Set(
  `and as assert async await break class continue def del elif else except finally for from global if import in is lambda
  nonlocal not or pass raise return try while with yield`.split(/\s+/),
);

/** Plain keys that YAML 1.1, which Gym's configs are read with, takes for booleans and null. */
const YAML_WORDS = new Set(['true', 'false', 'yes', 'no', 'on', 'off', 'null']);

/**
 * `name-…`: what an instance may be called, which is also its folder. Looser names pass `gym env validate` and fail later:
 * the session cookie is `<Class>___<instance>` (nemo_gym/server_utils.py, `setup_session_middleware`), names go raw into
 * sed (nemo_gym/cli/setup_command.py, `setup_env_command`), and a top-level key of the config is read as whatever else Gym
 * calls so.
 */
export function instanceName(name: string): Finding[] {
  const refuse = (code: string, what: string): Finding[] => [
    { code, where: `name ${quote(name)}`, what, fix: `choose another, such as --name ${suggestion(name)}` },
  ];
  if (name === '') {
    return [
      {
        code: 'name-pattern',
        where: 'name',
        what: "the environment's name has no letter or digit that a name could be made from",
        fix: 'choose a name: --name my_env',
      },
    ];
  }
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    return refuse('name-pattern', "Gym's names are lower-case letters, digits and _, a letter first");
  }
  if (name.length > LONGEST) return refuse('name-length', `is longer than ${LONGEST} characters`);
  const fault = windowsFault(name);
  if (fault !== undefined) return refuse('name-windows', fault);
  if (PYTHON_KEYWORDS.has(name)) return refuse('name-keyword', 'is a keyword of Python');
  if (YAML_WORDS.has(name)) return refuse('name-keyword', 'is read as another value in YAML');
  if (RESERVED_KEYS.has(name) || CONFIG_FIELDS.has(name) || COMMAND_KEYS.has(name)) {
    return refuse('name-reserved', "is a key that Gym's configs use themselves");
  }
  if (BUILT_IN_SERVERS.has(name)) return refuse('name-built-in', 'is a resources server that Gym ships');
  return [];
}

function suggestion(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '')
    .slice(0, LONGEST - 4);
  if (slug === '') return 'my_env';
  return /^\d/.test(slug) ? `env_${slug}` : `${slug}_env`;
}
