export { Collector, type Found } from './collector.js';
export { judgeDataset } from './dataset.js';
export { parseWithGym } from './gym-parser.js';
export { judgeSources, judgeWheels } from './judge-wheels.js';
export { type LiveRequest, withLiveTasks } from './live.js';
export { judgePackage, type PackageOptions, readPackage } from './package.js';
export { judgeRoot, judgeRootRows, readRoot } from './root.js';
export { NO_CONFIGS, rowContext } from './row-context.js';
export { type Target, targetAt } from './targets.js';
