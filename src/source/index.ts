export type { BundleOptions } from './bundle.js';
export { bundleReference, inRepositoryOf, realPath } from './bundle-reference.js';
export { codeOf } from './code.js';
export { FRAMEWORK_VERSION } from './framework-version.js';
export { HOST_AND_PORT, looksLikeSource, resolveSource } from './resolve.js';
export type { NamedSource, Source, SourceContext, SourceReporter } from './types.js';
