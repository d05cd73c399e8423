import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { which } from '../files.js';
import { findingOf, GYM_PARSER, type RuleFinding } from '../rules/index.js';
import { runProgram } from '../source/index.js';
import { minimalEnvironment } from './uv.js';

const Answer = z.array(z.object({ kind: z.string(), message: z.string() }).nullable());

const PROGRAM = fileURLToPath(new URL('../../templates/gym/parse_configs.py', import.meta.url));

/** What a job adds to the configs of a package. */
const JOB = { policy_base_url: 'http://127.0.0.1:1/v1', policy_api_key: 'x', policy_model_name: 'x' };

/** What a run adds to the configs of a Gym root: a model, too. */
const RUN = {
  ...JOB,
  policy_model: {
    responses_api_models: { vllm_model: { entrypoint: 'app.py', base_url: '', api_key: '', model: '' } },
  },
};

/** Errors for values and servers that other configs or the command line of a run may add. */
const OPEN = new Set([
  'AgentCompositionError',
  'ConfigMissingValuesError',
  'ConfigInterpolationError',
  'ServerRefNotFoundError',
]);

export interface ParserRequest {
  root: string;
  /** Python with nemo-gym, as passed. */
  python: string;
  /** Lists of configs that are merged: paths below the root. */
  groups: readonly (readonly string[])[];
  /** Whether the configs are complete, as those of a package. */
  isComplete: boolean;
  signal: AbortSignal;
}

/**
 * Parses configs with NeMo Gym's own parser, which runs without the environment of this process.
 * @throws UserError if there is no such Python, or it has no nemo-gym
 */
export async function parseWithGym(request: ParserRequest): Promise<RuleFinding[]> {
  const { root, groups, isComplete } = request;
  const faults = await faultsOf(request);
  return groups.flatMap((paths, at) => {
    const fault = faults[at];
    if (!fault || (!isComplete && OPEN.has(fault.kind))) return [];
    const reason = fault.message.replaceAll(`${root}/`, '');
    const problem = `is rejected by NeMo Gym: ${fault.kind}${reason === '' ? '' : `: ${reason}`}`;
    const place = { file: paths.length === 1 ? (paths[0] as string) : '' };
    const subject = paths.length === 1 ? 'config' : 'the merged config';
    return [findingOf(GYM_PARSER, { at: place, subject, problem, fix: 'correct it: gym env validate shows more' })];
  });
}

async function faultsOf({ root, python, groups, isComplete, signal }: ParserRequest): Promise<z.infer<typeof Answer>> {
  const folder = await mkdtemp(join(tmpdir(), 'gymgen-validate-'));
  try {
    const program = python.includes('/') ? resolve(python) : ((await which(python)) ?? python);
    const absolute = groups.map((paths) => paths.map((path) => join(root, path)));
    const { stdout, stderr } = await runProgram(program, ['-I', PROGRAM], {
      cwd: folder,
      env: { ...minimalEnvironment(folder), NEMO_GYM_EXTRA_ROOTS: root },
      extendEnv: false,
      input: JSON.stringify({ groups: absolute, initial: isComplete ? JOB : RUN }),
      reject: false,
      signal,
    });
    signal.throwIfAborted();
    const answer = Answer.safeParse(parsed(String(stdout ?? '')));
    if (answer.success) return answer.data;
    const reason =
      String(stderr ?? '')
        .trim()
        .split('\n')
        .at(-1) || 'it does not start';
    throw new UserError(`this Python cannot parse Gym configs: ${reason}`, {
      where: python,
      fix: 'name the Python of a venv that has nemo-gym 0.7: --python PATH',
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
