export { assumedPins, parsePins, READ_PINS, readPolicy, requirementsOf } from './closure/index.js';
export { DATASET, ENVIRONMENT, type FilesetNames, JOB, jobCommands } from './commands.js';
export { type Dataset, type DatasetOptions, datasetOf, TRAINING } from './dataset.js';
export { environmentFiles } from './environment.js';
export { jobText, NO_MODEL } from './job.js';
export { assertName, baseName, digestOf } from './names.js';
export { readServer } from './server.js';
export type { Format, PackagedServer, Platform, Target } from './types.js';
export { type Wheels, wheelsOf } from './wheels.js';
