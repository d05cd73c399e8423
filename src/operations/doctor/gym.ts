import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { which } from '../../files.js';
import { isRecord } from '../../json/guards.js';
import { gymgenCommand } from '../../printed-command.js';
import { GYM_PYTHON } from '../../source/index.js';
import { type Check, outputOf } from './programs.js';

/** The program `gym` on PATH. */
export interface Gym {
  script: string;
  /** Version of NeMo Gym. */
  version: string;
  /** Version of the Python that runs it. */
  python: string;
  /** The folder of that Python, outside of any virtual environment. */
  programs: string;
}

const VERSIONS = `
import json, platform, sys
from importlib.metadata import version
print(json.dumps({"gym": version("nemo-gym"), "python": platform.python_version(), "prefix": sys.base_prefix}))`;

/** Asks the Python of the script, because `gym` itself takes seconds to start. */
export async function findGym(signal: AbortSignal): Promise<Gym | null> {
  const script = await which('gym');
  const interpreter = script && interpreterOf(await readFile(script, 'utf8').catch(() => ''));
  const output = interpreter ? await outputOf(interpreter, ['-c', VERSIONS], { signal }) : null;
  if (script === undefined || output === null) return null;
  const answer: unknown = JSON.parse(output);
  if (!isRecord(answer)) return null;
  const { gym, python, prefix } = answer;
  return { script, version: String(gym), python: String(python), programs: join(String(prefix), 'bin') };
}

/** The Python of an installed script. If its path is long, the first line names a shell, and the second one the Python. */
function interpreterOf(script: string): string | undefined {
  return /^#!\/bin\/sh\n'''exec' "?([^"\n]+?)"? "\$0"/.exec(script)?.[1] ?? /^#!([^\n]+)/.exec(script)?.[1]?.trim();
}

export function gymCheck(gym: Gym | null, canMake: boolean): Check {
  const install = `uv tool install --python '${GYM_PYTHON}' 'nemo-gym[dev]==0.7.0'`;
  return {
    name: 'gym',
    use: 'NeMo Gym, which runs the written servers',
    found: gym && `${gym.version}, ${gym.script}`,
    fix: canMake ? `${gymgenCommand`play`} installs its own; to install it yourself: ${install}` : install,
    needed: !canMake,
  };
}
