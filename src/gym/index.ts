export { checkOptions, checkServer } from './check.js';
export { folder } from './folder.js';
export { type Names, namesOf, slug } from './names.js';
export { type Datasets, type GymOptions, SETTING_KEYS, type Settings } from './options.js';
export { rowId } from './task-id.js';
