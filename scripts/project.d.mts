// Types of project.mjs, for the tests that run the build.

export const root: string;
export function ensureInstalled(): void;
export function ensureBuilt(): void;
