import type { RuleText } from './rule.js';

/** Input that gymgen does not read. */
export const OVER_LIMIT: RuleText = {
  code: 'over-limit',
  severity: 'error',
  rule: "What is validated is within gymgen's limits",
  why: 'They bound the memory that untrusted input can cost ([limits](limits.md)).',
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
  rule: 'The wheels of a package are judged, which needs uv and a Python 3.13 or newer',
  why: 'Names, tags and dependencies of wheels are judged by packaging and by uv, as in the job.',
  when: 'start',
};

export const PYTHON_NOT_JUDGED: RuleText = {
  code: 'python-not-judged',
  severity: 'warning',
  rule: 'The Python files of servers are parsed, which needs uv and a Python 3.13 or newer',
  why: 'Older versions of Python read fewer files than the image does.',
  when: 'start',
};

export const APP_SYNTAX: RuleText = {
  code: 'app-syntax',
  severity: 'error',
  rule: 'The Python files of a server can be parsed',
  why: 'Gym starts the program, and stops if it ends. The files are only parsed.',
  when: 'start',
};
