import { CONFIG_PATH_RULES } from './config-paths.js';
import { CONFIG_RULES, PACKAGE_CONFIG_RULES } from './configs.js';
import { EVALS_RULES } from './evals.js';
import type { PackageFacts } from './facts.js';
import { LAYOUT_RULES } from './layout.js';
import { MANIFEST_RULES } from './manifest.js';
import { NETWORK_RULES } from './network.js';
import { REFERENCE_RULES } from './references.js';
import { REQUIREMENTS_RULES } from './requirements.js';
import type { Rule } from './rule.js';
import { SERVER_RULES } from './server-folder.js';
import { VALUE_RULES } from './values.js';

export { CLOSURE_RULES, type Proof } from './closure.js';
export { CONFIG_RULES, isInstance } from './configs.js';
export type * from './facts.js';
export * from './formats.js';
export { OVER_LIMIT } from './limits.js';
export { type Reach, reachOf } from './network.js';
export { requirementLines } from './requirements.js';
export { ROOT_RULES, type RootFacts } from './root.js';
export * from './rows/index.js';
export {
  type Judgement,
  judge,
  judgement,
  type Place,
  type Problem,
  type Rule,
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
