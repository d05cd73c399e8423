export { type Dataset, type DatasetOptions, datasetOf, TRAINING, VALIDATION } from './dataset.js';
export { environmentFiles } from './environment.js';
export { jobText, NO_MODEL } from './job.js';
export { assertName, baseName, digestOf } from './names.js';
export { DatasetRows, type RowChange, type RowSource } from './rows.js';
export { readServer, type ServerOptions } from './server.js';
export type { Format, PackagedServer, Platform, Target } from './types.js';
