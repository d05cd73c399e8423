import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
  made ??= { ...environment(), PYTHONDONTWRITEBYTECODE: '', PYTHONPYCACHEPREFIX: bytecode() } as Record<string, string>;
  return made;
}

/** Where Python keeps its bytecode: in none of the folders that are tested, but kept, or each start would take seconds more. */
function bytecode(): string {
  const folder = join(REPOSITORY, '.venvs', 'bytecode');
  rmSync(join(folder, tmpdir()), { recursive: true, force: true }); // of folders that are gone
  return folder;
}

let built = false;

/** The command line as a user has it, built from the sources of now. */
export function gymgenBin(): string {
  if (!built) ensureBuilt();
  built = true;
  return join(REPOSITORY, 'bin/gymgen.js');
}
