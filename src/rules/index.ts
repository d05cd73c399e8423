export { configBundle, configFields, configHeaders, configSize, configText, configUrl, isOwnHeader } from './config.js';
export { datasetSplits, EXAMPLE_ROWS, exampleRows, LICENSES, license } from './datasets.js';
export { describe, type Finding, Findings, quote, warning } from './finding.js';
export { type GymRoot, gymRoot } from './gym-root.js';
export { jsonProblem, valueProblem } from './json-text.js';
export { instanceName, snakeCase, splitNames } from './names.js';
export * from './platform/index.js';
export { promptText, RESET_LEVEL, row, taskName } from './row.js';
export { rewardScore, settings } from './settings.js';
export { toolCount, toolSchema } from './tool-warnings.js';
export {
  GYM_ROUTES,
  renames,
  renamesUnmatched,
  renameTaken,
  toolClash,
  toolDescription,
  toolDuplicates,
  toolName,
  toolParameters,
} from './tools.js';
