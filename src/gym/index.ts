export { configFile, configSettings, settingMaps } from './config.js';
export { checkOptions, checkServer, folder } from './files.js';
export { type Names, namesOf, slug } from './names.js';
export { PromptFingerprints, promptFingerprint } from './prompt-fingerprints.js';
export { GENERATOR_REVISION } from './revision.js';
export { inputJson, isSameRow, rowTaskId, taskIdOf, withInput } from './row-format.js';
export { fillTemplate, TEMPLATES } from './templates.js';
export { toolsetKey } from './toolsets.js';
export { plainYamlString, withoutInterpolation, yamlString, yamlValue } from './yaml.js';
