import { OPTIONS } from '../../options/index.js';
import { candidatePythons, findUv, frameworkProblem } from '../../source/index.js';
import { findGym, gymCheck } from './gym.js';
import { gymPython } from './gym-python.js';
import { diskCheck, dockerCheck, headPortCheck } from './machine.js';
import { type Check, firstLineOf } from './programs.js';
import { uvCheck } from './uv.js';

export type { Check } from './programs.js';

const NODE = 20;

/** Looks for what gymgen and NeMo Gym need on this machine. Installs nothing. */
export async function doctor(signal: AbortSignal): Promise<Check[]> {
  const uv = await findUv();
  const gym = await findGym(signal);
  const canMake = uv !== undefined;
  return await Promise.all([
    node(),
    uvCheck(uv, signal),
    gymPython(uv, gym, signal),
    framework(canMake, signal),
    gymCheck(gym, canMake),
    diskCheck(),
    headPortCheck(OPTIONS.headPort.default),
    dockerCheck(signal),
  ]);
}

function node(): Check {
  const { node: version } = process.versions;
  return {
    name: `Node.js ${NODE} or newer`,
    use: 'runs gymgen',
    found: Number.parseInt(version, 10) >= NODE ? `${version}, ${process.execPath}` : null,
    fix: 'https://nodejs.org/',
    needed: true,
  };
}

async function framework(canMake: boolean, signal: AbortSignal): Promise<Check> {
  let found: string | null = null;
  for (const python of candidatePythons()) {
    if (found === null && (await frameworkProblem(python, signal)) === null) {
      const version = 'from importlib.metadata import version; print(version("agentenv-framework"))';
      found = `${(await firstLineOf(python, ['-c', version], { signal })) ?? '?'}, ${python}`;
    }
  }
  return {
    name: 'agentenv-framework[openenv]',
    use: 'serves AgentEnv bundles',
    found,
    fix: canMake
      ? 'gymgen installs it with uv when needed; to install it yourself: uv pip install "agentenv-framework[openenv]"'
      : 'pip install "agentenv-framework[openenv]" (Python 3.11 or newer)',
    needed: !canMake,
  };
}
