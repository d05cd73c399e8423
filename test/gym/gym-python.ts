import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** The Python of a venv with nemo-gym[dev] 0.7.0. A test that needs it fails where there is none: it would say nothing. */
export function gymPython(): string {
  const python = resolve(REPOSITORY, process.env.GYMGEN_GYM_PYTHON ?? '.venvs/gym/bin/python');
  if (existsSync(python)) return python;
  throw new Error(
    `${python} is missing: this test asks the real NeMo Gym. Make a venv with nemo-gym[dev]==0.7.0, pyright and ruff there, ` +
      'or name one in GYMGEN_GYM_PYTHON (npm test makes it).',
  );
}

/** Runs a Python program in Gym's venv: what it reads as `given` in, what it prints as JSON out. */
export async function askGym<T>(program: string, given: unknown = null, env: Record<string, string> = {}): Promise<T> {
  const code = `import json, sys\ngiven = json.load(sys.stdin)\n${program}`;
  const { stdout } = await execa(gymPython(), ['-c', code], { input: JSON.stringify(given), env });
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1)) as T;
}
