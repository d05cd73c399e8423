import { quote } from '../finding.js';
import type { WheelFacts } from './facts.js';
import { WHEELS } from './formats.js';
import { GLIBC, PYTHON, VENV_PROJECTS } from './image.js';
import { type Problem, type Rule, type RuleText, rule } from './rule.js';

/** A rule whose problems are found by the Python program that reads the wheels. */
function fault(text: RuleText, fix: string): Rule<WheelFacts> {
  return rule(text, ({ wheels }: WheelFacts) =>
    wheels.flatMap(({ file, faults }) =>
      faults.filter(({ code }) => code === text.code).map(({ problem }) => problemOf(file, problem, fix)),
    ),
  );
}

function problemOf(file: string, problem: string, fix: string): Problem {
  return { at: { file: `${WHEELS}/${file}` }, subject: `wheel ${quote(file)}`, problem, fix };
}

const BUILD = 'build or download the wheel again';

const FAULTS: readonly Rule<WheelFacts>[] = [
  fault(
    {
      code: 'wheel-name',
      severity: 'error',
      rule: 'The name of a wheel is PROJECT-VERSION-PYTHON-ABI-PLATFORM.whl',
      why: 'uv rejects any other name (binary distribution format, packaging.python.org).',
      when: 'start',
    },
    'give it the name that it was built with',
  ),
  fault(
    {
      code: 'wheel-zip',
      severity: 'error',
      rule: 'A wheel is a readable zip file without damaged entries',
      why: 'uv unpacks each one. A pointer of Git LFS is not a zip file.',
      when: 'start',
    },
    BUILD,
  ),
  fault(
    {
      code: 'wheel-size',
      severity: 'error',
      rule: 'A wheel unpacks to at most 16 GiB, and to less than 1000 times its size',
      why: 'A zip bomb fills the disk of the node.',
      when: 'start',
    },
    'remove it',
  ),
  fault(
    {
      code: 'wheel-path',
      severity: 'error',
      rule: 'Every file of a wheel stays in the folder to which the wheel is unpacked',
      why: 'Installers reject any other file, or overwrite files of the image.',
      when: 'start',
    },
    'remove it',
  ),
  fault(
    {
      code: 'wheel-metadata',
      severity: 'error',
      rule: 'A wheel has METADATA and WHEEL in one .dist-info folder of its own name',
      why: 'uv reads the dependencies from there.',
      when: 'start',
    },
    BUILD,
  ),
  fault(
    {
      code: 'wheel-other-name',
      severity: 'error',
      rule: 'METADATA has the name and the version of the file name',
      why: 'uv compares the two when it installs the wheel.',
      when: 'start',
    },
    BUILD,
  ),
  fault(
    {
      code: 'wheel-no-record',
      severity: 'error',
      rule: 'A wheel has RECORD',
      why: 'uv installs the files that it lists.',
      when: 'start',
    },
    BUILD,
  ),
  fault(
    {
      code: 'wheel-record',
      severity: 'warning',
      rule: 'RECORD has the hashes of the files',
      why: 'pip checks them; uv does not.',
      when: 'never',
    },
    BUILD,
  ),
  fault(
    {
      code: 'wheel-python',
      severity: 'warning',
      rule: 'Requires-Python accepts the Python of the image',
      why: 'pip obeys an upper bound; uv ignores it, and installs a version that the project does not support there.',
      when: 'never',
    },
    'vendor a version that supports it',
  ),
  fault(
    {
      code: 'wheel-tag',
      severity: 'error',
      rule: `A wheel is for CPython 3.13 on Linux of the architecture, with glibc up to ${GLIBC.replace('_', '.')}`,
      why: 'The training image has no other Python, and --validate-only does not look at tags.',
      when: 'start',
    },
    `download it for the image: pip download --python-version ${PYTHON} --platform manylinux_2_28_$ARCH`,
  ),
  fault(
    {
      code: 'closure-url',
      severity: 'error',
      rule: 'No wheel of the closure depends on a URL',
      why: 'uv fetches it, and the job has no network.',
      when: 'start',
    },
    'vendor a version that names its dependency by version',
  ),
];

const missing = rule<WheelFacts>(
  {
    code: 'pin-missing',
    severity: 'error',
    rule: `${WHEELS}/ has ${VENV_PROJECTS.join(', ')}, and nemo-gym for wheels-v1`,
    why: 'Gym creates each venv from scratch, and installs these before anything else.',
    when: 'start',
  },
  ({ wheels, manifest, pins }) =>
    [...VENV_PROJECTS, ...(manifest.format === 'wheels-v1' ? ['nemo-gym'] : [])]
      .filter((project) => !wheels.some((wheel) => wheel.project === project))
      .map((project) => {
        const version = pins[project] === undefined ? '' : ` ${pins[project]}`;
        const at = { file: WHEELS };
        return {
          at,
          subject: `${WHEELS}/`,
          problem: `has no ${project}`,
          fix: `add the wheel of ${project}${version}`,
        };
      }),
);

const version = rule<WheelFacts>(
  {
    code: 'pin-version',
    severity: 'error',
    rule: 'nemo-gym, ray and openai have the versions of the training image',
    why: 'Gym adds its own versions to each install. gymgen knows those of nemo-helix 0.8.1. For others, pass --pin.',
    when: 'start',
  },
  ({ wheels, pins }) =>
    wheels.flatMap(({ file, project, version }) => {
      const wanted = pins[project ?? ''];
      if (wanted === undefined || version === undefined || version === wanted) return [];
      const fix = `vendor ${project} ${wanted}, or name the version of your image: --pin ${project}==${version}`;
      return [problemOf(file, `is not ${project} ${wanted}, which the image has`, fix)];
    }),
);

const adapterGym = rule<WheelFacts>(
  {
    code: 'adapter-gym-wheel',
    severity: 'error',
    rule: 'An adapter-wheels-v1 package has no wheel of nemo-gym',
    why: 'Such a wheel comes first on PYTHONPATH, so Gym reads its agents from the wheel instead of the image.',
    when: 'start',
  },
  ({ wheels, manifest }) =>
    manifest.format !== 'adapter-wheels-v1'
      ? []
      : wheels
          .filter(({ project }) => project === 'nemo-gym')
          .map(({ file }) => problemOf(file, "would replace the image's own Gym", 'remove it')),
);

const adapterEnvironment = rule<WheelFacts>(
  {
    code: 'adapter-env-missing',
    severity: 'error',
    rule: 'A wheel of an adapter-wheels-v1 package has the module of vf_env_id',
    why: '`verifiers.load_environment` imports the module of that name in the first rollout.',
    when: 'rollout',
  },
  ({ wheels, manifest }) => {
    const { metadata } = manifest.value;
    const id = (metadata as { vf_env_id?: unknown } | undefined)?.vf_env_id;
    if (manifest.format !== 'adapter-wheels-v1' || typeof id !== 'string') return [];
    const name = (id.split('/').at(-1) ?? id).replaceAll('-', '_');
    if (wheels.some(({ modules }) => modules?.includes(name))) return [];
    const problem = `has no wheel with the module ${quote(name)} of vf_env_id ${quote(id)}`;
    return [{ at: { file: WHEELS }, subject: `${WHEELS}/`, problem, fix: "add the environment's own wheel" }];
  },
);

export const WHEEL_RULES: readonly Rule<WheelFacts>[] = [...FAULTS, missing, version, adapterGym, adapterEnvironment];
