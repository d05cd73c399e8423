import { fileURLToPath } from 'node:url';

/** The adapter's Python code, next to `src/` and, in the npm package, next to `dist/`. */
export const ADAPTER = fileURLToPath(new URL('../../templates/adapter/', import.meta.url));
