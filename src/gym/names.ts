/** Every spelling of an environment's name that a written folder holds. */
export interface Names {
  /** The resources server's instance, its implementation and its folder. */
  server: string;
  /** The agent's instance, which each row names. */
  agent: string;
  /** The instance that NeMo RL sends rows to. */
  environment: string;
  /** The folder's path in a Gym root. */
  folder: string;
  /** Paths in the folder. */
  config: string;
  rows(split: string): string;
  /** The Python project's name, which must not be a dependency's. */
  project: string;
}

/** Gym's default for `--name`: `My-Env.v2` is `my_env_v2`. "" where nothing of it can be kept, which the rules refuse. */
export function slug(envName: string): string {
  const words = envName
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '');
  return /^\d/.test(words) ? `env_${words}` : words;
}

export function namesOf(name: string): Names {
  return {
    server: name,
    agent: `${name}_simple_agent`,
    environment: `${name}_environment_server`,
    folder: `resources_servers/${name}`,
    config: `configs/${name}.yaml`,
    rows: (split) => `data/${split}.jsonl`,
    project: `${name}-resources-server`,
  };
}
