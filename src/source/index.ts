export { type BundleOptions, bundleReference, inRepositoryOf, realPath } from './bundle.js';
export { cachedFolder, cacheFolder, folderOfThisRun } from './cache.js';
export { EXAMPLE_POLICY, serveExample, serveExampleOpenly } from './example.js';
export { candidatePythons, FRAMEWORK_VERSION, frameworkProblem } from './framework.js';
export { ensureUv, findUv, lockedRequirements, runProgram } from './programs.js';
export { BUILD_PYTHON, type BuildOptions, createEnvironment, GYM_PYTHON, ownPython, pythonIn } from './python.js';
export { BUNDLE_NAME, codeOf, HOST_AND_PORT, looksLikeSource, resolveSource } from './resolve.js';
export type { LocalServer } from './serve.js';
export type { NamedSource, Source, SourceContext } from './types.js';
