/** What Docker's client, its Python package and AgentEnv say if no Docker is there or its daemon does not answer. */
const NO_DOCKER = [
  'cannot connect to the docker daemon',
  'is the docker daemon running',
  'docker.sock',
  'error while fetching server api version',
  'failed to connect to the docker api',
];
const NO_CLIENT = /no such file or directory: '?"?docker|docker(?: compose)?: (?:command )?not found/;
const NOT_READY =
  /docker (?:daemon )?(?:is )?not (?:ready|running|reachable|available|installed|found)|(?:needs|requires) docker/;

/** The fix for failures of environments that need Docker, or undefined if that is not what they say. */
export function dockerFix(failures: readonly string[]): string | undefined {
  return failures.some(isOfDocker) ? 'start Docker, and run gymgen again' : undefined;
}

function isOfDocker(failure: string): boolean {
  const text = failure.toLowerCase();
  return NO_DOCKER.some((words) => text.includes(words)) || NO_CLIENT.test(text) || NOT_READY.test(text);
}
