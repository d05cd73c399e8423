import { fileURLToPath } from 'node:url';

/** Next to `src/` and, in the npm package, next to `dist/`. */
export const TRAINER_TEMPLATES = fileURLToPath(new URL('../../templates/trainers/', import.meta.url));
