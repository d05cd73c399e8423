export type { BundleOptions } from './bundle.js';
export { bundleReference } from './bundle-reference.js';
export { frameworkLacks, pythonsWithFramework } from './framework.js';
export { serveGridsim } from './gridsim.js';
export { looksLikeSource, resolveSource } from './resolve.js';
export type { NamedSource, Source, SourceContext, SourceReporter } from './types.js';
export { uvPath } from './uv.js';
