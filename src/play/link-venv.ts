import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { shellQuote } from '../printed-command.js';

/**
 * Makes NeMo Gym use a Python for a server instead of creating a venv. NeMo Gym looks for two files, `bin/python` and
 * `bin/activate`. They lead to the real environment, so Python finds the packages and their bytecode there.
 * @param venvs `uv_venv_dir` of NeMo Gym
 * @param server `<type>/<name>`
 */
export async function linkVenv(venvs: string, server: string, python: string): Promise<void> {
  const programs = join(venvs, server, '.venv', 'bin');
  await mkdir(programs, { recursive: true });
  await writeFile(join(programs, 'python'), `#!/bin/sh\nexec ${shellQuote(python)} "$@"\n`);
  await chmod(join(programs, 'python'), 0o700);
  await writeFile(join(programs, 'activate'), `PATH=${shellQuote(dirname(python))}:$PATH\n`);
}
