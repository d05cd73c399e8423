export {
  type BundleConfig,
  type Datasets,
  type GymOptions,
  MAX_CONCURRENT_ENVS,
  REWARD_RULES,
  type RewardRule,
  SETTING_KEYS,
  type ServerConfig,
  type Settings,
} from '../model.js';
export { checkOptions, checkServer } from './check.js';
export { folder } from './folder.js';
export { jsonLine } from './json-line.js';
export { type Names, namesOf, slug } from './names.js';
export { PromptPrints, promptPrint } from './prompt-prints.js';
export { rowId } from './task-id.js';
