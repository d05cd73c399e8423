import { CLOSURE_RULES } from './closure.js';
import { CONFIG_PATH_RULES } from './config-paths.js';
import { CONFIG_RULES } from './configs.js';
import { EVALS_RULES } from './evals.js';
import type { PackageFacts } from './facts.js';
import { LAYOUT_RULES } from './layout.js';
import { MANIFEST_RULES } from './manifest.js';
import { NETWORK_RULES } from './network.js';
import { PACKAGE_CONFIG_RULES } from './package-configs.js';
import {
  APP_SYNTAX,
  GYM_PARSER,
  LIVE_UNREACHABLE,
  OVER_LIMIT,
  PYTHON_NOT_JUDGED,
  WHEELS_NOT_JUDGED,
} from './reading.js';
import { REFERENCE_RULES } from './references.js';
import { REQUIREMENTS_RULES } from './requirements.js';
import { ROOT_RULES } from './root.js';
import { ALL_ROW_RULES, DATASET_RULES, ROW_TWICE } from './rows/index.js';
import type { Rule, RuleText } from './rule.js';
import { SERVER_RULES } from './server-folder.js';
import { VALUE_RULES } from './values.js';
import { WHEEL_RULES } from './wheels.js';

export { CLOSURE_RULES, type Proof } from './closure.js';
export { CONFIG_RULES, isInstance } from './configs.js';
export type * from './facts.js';
export * from './formats.js';
export * from './image.js';
export { type Reach, reachOf } from './network.js';
export * from './reading.js';
export { requirementLines } from './requirements.js';
export { ROOT_RULES, type RootFacts } from './root.js';
export * from './rows/index.js';
export {
  findingOf,
  judge,
  type Place,
  type Problem,
  type Rule,
  type RuleFinding,
  type RuleText,
  rule,
  WHEN,
} from './rule.js';
export { isDirective, textsIn } from './values.js';
export { WHEEL_RULES } from './wheels.js';

/** All rules of a package, except those about the content of its wheels. */
export const PACKAGE_RULES: readonly Rule<PackageFacts>[] = [
  ...MANIFEST_RULES,
  ...CONFIG_PATH_RULES,
  ...LAYOUT_RULES,
  ...CONFIG_RULES,
  ...PACKAGE_CONFIG_RULES,
  ...REFERENCE_RULES,
  ...VALUE_RULES,
  ...SERVER_RULES,
  ...REQUIREMENTS_RULES,
  ...NETWORK_RULES,
  ...EVALS_RULES,
];

/** Every rule of `gymgen validate`, by the heading of its group in docs/rules.md. */
export const RULE_GROUPS: readonly (readonly [heading: string, rules: readonly RuleText[]])[] = [
  ['Reading', [OVER_LIMIT]],
  ['Manifest of a package', [...MANIFEST_RULES, ...CONFIG_PATH_RULES]],
  ['Layout of a package', LAYOUT_RULES],
  ['Configs', [...CONFIG_RULES, GYM_PARSER]],
  ['Configs of a package', [...PACKAGE_CONFIG_RULES, ...REFERENCE_RULES, ...VALUE_RULES, ...NETWORK_RULES]],
  ['Servers', [...SERVER_RULES, APP_SYNTAX, PYTHON_NOT_JUDGED]],
  ['Servers of a package', REQUIREMENTS_RULES],
  ['Wheels', [...WHEEL_RULES, ...CLOSURE_RULES, WHEELS_NOT_JUDGED]],
  ['Packages for evals', EVALS_RULES],
  ['Gym root', ROOT_RULES.filter((rule) => !PACKAGE_RULES.some(({ code }) => code === rule.code))],
  ['Dataset', [...DATASET_RULES, ROW_TWICE]],
  ['Rows', [...ALL_ROW_RULES, LIVE_UNREACHABLE]],
];
