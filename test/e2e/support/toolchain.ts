import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureVenv, environment } from '../../../scripts/toolchain.mjs';

export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** Another venv, instead of the one that `npm test` creates. */
const OVERRIDES = { gym: process.env.GYMGEN_GYM_VENV, agentenv: process.env.GYMGEN_AGENTENV_VENV };

/** The folder of a venv of the toolchain. Creates it if it is missing. */
export async function venv(name: 'gym' | 'agentenv'): Promise<string> {
  return OVERRIDES[name] || (await ensureVenv(name));
}

export async function python(name: 'gym' | 'agentenv'): Promise<string> {
  return join(await venv(name), 'bin', 'python');
}

let made: Record<string, string> | undefined;

/** This process's environment, with uv and the CPython that NeMo Gym accepts on PATH. */
export function toolchainEnv(): Record<string, string> {
  made ??= environment() as Record<string, string>;
  return made;
}

/** The built command line. */
export function gymgenBin(): string {
  return join(REPOSITORY, 'bin/gymgen.cjs');
}
