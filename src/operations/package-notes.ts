import { assumedPins, type Dataset, JOB, type PackagedServer, parsePins, READ_PINS } from '../platform/index.js';
import type { PackageRequest } from './package-request.js';

/** What the user should know of a package, a sentence each. */
export function packageNotes(
  { format, target, model, pin, fileset }: PackageRequest,
  servers: readonly PackagedServer[],
  dataset: Dataset,
): string[] {
  return [
    ...servers.flatMap(({ name, edited }) =>
      edited.map((file) => `${name}/${file} was edited by hand, and goes in as it is`),
    ),
    ...dataset.unused.map((split) => `the rows of ${split} are not in the dataset`),
    ...(format === 'native-v1' ? [fetched(servers)] : pinNotes(pin)),
    ...(target === 'evals'
      ? ['an evaluation reads its rows from a taskset: build it from dataset/ (docs/platform.md)']
      : []),
    ...(fileset === undefined ? [] : [`an upload only adds files: if ${fileset} has others, delete them first`]),
    ...(model === undefined ? [`set the model in ${JOB}, or pass --model`] : []),
  ];
}

const _NO_MASKS =
  'verifiers_agent masks nothing: if the environment fails, the rollout has reward 0; prefer the other formats';

/** What a native-v1 package needs from an index when the job starts. */
function fetched(servers: readonly PackagedServer[]): string {
  const own = [...new Set(servers.flatMap(({ requirements }) => requirements))];
  const list = ['nemo-gym, ray and openai at the versions of the image', ...own].join(', ');
  return `when the job starts, it fetches from a package index: ${list}, and all that these require`;
}

function pinNotes(pin: readonly string[]): string[] {
  const assumed = assumedPins(parsePins(pin));
  if (assumed.length === 0) return [];
  return [
    `the wheels are for a training image with ${assumed.join(', ')}; for another image, pass its versions to --pin:`,
    `  ${READ_PINS}`,
  ];
}
