import { assumedPins, type Dataset, JOB, type PackagedServer, parsePins, READ_PINS } from '../platform/index.js';
import type { PackageRequest } from './package-request.js';

/** Notes on a package for the user, one sentence each. */
export function packageNotes(
  { format, target, model, pin, fileset }: PackageRequest,
  servers: readonly PackagedServer[],
  dataset: Dataset,
): string[] {
  return [
    ...servers.flatMap(({ name, edited }) =>
      edited.map((file) => `${name}/${file} was edited by hand, and is included unchanged`),
    ),
    ...dataset.unused.map((split) => `the rows of ${split} are not in the dataset`),
    ...(format === 'native-v1' ? [fetched(servers)] : pinNotes(pin)),
    ...(format === 'adapter-wheels-v1' ? [NO_MASKS] : []),
    ...(target === 'evals'
      ? ['an evaluation reads its rows from a taskset: build it from dataset/ (docs/platform.md)']
      : []),
    ...(fileset === undefined
      ? []
      : [`an upload only adds files: if ${fileset} has other files, delete those files first`]),
    ...(model === undefined ? [`set the model in ${JOB}, or pass --model`] : []),
  ];
}

const NO_MASKS =
  'verifiers_agent masks nothing: if the environment fails, the rollout has reward 0; prefer the other formats';

/** What a native-v1 package needs from an index when the job starts. */
function fetched(servers: readonly PackagedServer[]): string {
  const own = [...new Set(servers.flatMap(({ requirements }) => requirements))];
  const list = ['nemo-gym, ray and openai at the versions of the image', ...own].join(', ');
  return `at its start, the job fetches these packages and their dependencies from an index: ${list}`;
}

function pinNotes(pin: readonly string[]): string[] {
  const assumed = assumedPins(parsePins(pin));
  if (assumed.length === 0) return [];
  return [
    `the wheels are for a training image with ${assumed.join(', ')}; for another image, pass its versions to --pin:`,
    `  ${READ_PINS}`,
  ];
}
