export type { BundleOptions } from './bundle.js';
export { bundleReference } from './bundle-reference.js';
export { codeOf } from './code.js';
export { looksLikeSource, resolveSource } from './resolve.js';
export type { NamedSource, Source, SourceContext, SourceReporter } from './types.js';
