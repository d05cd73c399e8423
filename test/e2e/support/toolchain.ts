import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../../../scripts/project.mjs';
import { ensureVenv, environment } from '../../../scripts/toolchain.mjs';

export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** Another venv in place of the one that `npm test` makes. */
const OVERRIDES = { gym: process.env.GYMGEN_GYM_VENV, agentenv: process.env.GYMGEN_AGENTENV_VENV };

/** The folder of a venv of the toolchain, which makes it where it isn't there. */
export async function venv(name: 'gym' | 'agentenv'): Promise<string> {
  return OVERRIDES[name] || (await ensureVenv(name));
}

export async function python(name: 'gym' | 'agentenv'): Promise<string> {
  return join(await venv(name), 'bin', 'python');
}

let made: Record<string, string> | undefined;

/** This process's environment, with uv and the CPython that NeMo Gym accepts on PATH. */
export function toolchainEnv(): Record<string, string> {
  made ??= { ...environment(), PYTHONDONTWRITEBYTECODE: '1' } as Record<string, string>;
  return made;
}

let built = false;

/** The command line as a user has it, built from the sources of now. */
export function gymgenBin(): string {
  if (!built) ensureBuilt();
  built = true;
  return join(REPOSITORY, 'bin/gymgen.js');
}
