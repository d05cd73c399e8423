/** What Docker's client, its Python package and AgentEnv say if no Docker is there or its daemon does not answer. */
const NO_DOCKER = new RegExp(
  [
    'cannot connect to the docker daemon',
    'is the docker daemon running',
    'docker\\.sock',
    'error while fetching server api version',
    'no such file or directory: \'?"?docker',
    'docker(?: compose)?: (?:command )?not found',
    'docker (?:daemon )?(?:is )?not (?:ready|running|reachable|available|installed|found)',
    '(?:needs|requires) docker',
    'failed to connect to the docker api',
  ].join('|'),
  'i',
);

/** The fix for failures of environments that need Docker, or undefined if that is not what they say. */
export function dockerFix(failures: readonly string[]): string | undefined {
  return failures.some((failure) => NO_DOCKER.test(failure)) ? 'start Docker, and run gymgen again' : undefined;
}
