export type { BundleOptions } from './bundle.js';
export { bundleReference, inRepositoryOf, realPath } from './bundle-reference.js';
export { codeOf } from './code.js';
export { FRAMEWORK_VERSION } from './framework-version.js';
export { looksLikeSource, resolveSource } from './resolve.js';
export type { NamedSource, Source, SourceContext, SourceReporter } from './types.js';
