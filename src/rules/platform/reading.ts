import type { RuleText } from './rule.js';

/** Input that gymgen does not read. */
export const OVER_LIMIT: RuleText = {
  code: 'over-limit',
  severity: 'error',
  rule: "The input is within gymgen's limits",
  why: 'The limits bound the memory that untrusted input can take ([limits](limits.md)).',
  when: 'never',
};

export const GYM_PARSER: RuleText = {
  code: 'config-gym',
  severity: 'error',
  rule: "NeMo Gym's own parser accepts configs with _inherit_from, _copy or nested config_paths (with --python)",
  why: 'Only Gym resolves them. Without a Python that has nemo-gym, such instances are reported as not judged.',
  when: 'start',
};

export const LIVE_UNREACHABLE: RuleText = {
  code: 'live-unreachable',
  severity: 'error',
  rule: 'The OpenEnv server of each config answers (with --live)',
  why: 'The resources server opens each session there.',
  when: 'rollout',
};

export const WHEELS_NOT_JUDGED: RuleText = {
  code: 'wheels-not-judged',
  severity: 'warning',
  rule: 'The wheels of a package can be checked, which needs uv and Python 3.13 or newer',
  why: 'packaging and uv check the names, tags and dependencies of wheels, as in the job.',
  when: 'start',
};

export const PYTHON_NOT_JUDGED: RuleText = {
  code: 'python-not-judged',
  severity: 'warning',
  rule: 'The Python files of servers can be parsed, which needs uv and Python 3.13 or newer',
  why: 'An older Python cannot parse every file that the Python of the image can.',
  when: 'start',
};

export const APP_SYNTAX: RuleText = {
  code: 'app-syntax',
  severity: 'error',
  rule: 'The Python files of a server can be parsed',
  why: 'Gym starts the program, and stops if the program ends. gymgen only parses the files.',
  when: 'start',
};
