// Types of project.mjs, for the tests that run the build.

export const root: string;
export function ensureInstalled(): Promise<void>;
export function ensureBuilt(): Promise<void>;
