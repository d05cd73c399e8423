// Types of toolchain.mjs, for the tests that start real servers.

export type Venv = 'gym' | 'agentenv' | 'peer';

export function which(name: string): string | undefined;
export function findUv(): string;
export function findPython313(): string;
export function findChromium(): string | undefined;
export function ensureVenv(name: Venv): Promise<string>;
export function ensureGymVenv(version: string): Promise<string>;
export function environment(): NodeJS.ProcessEnv;
export function withLock<T>(lock: string, work: () => T | Promise<T>): Promise<T>;
