import { snakeCase } from '../rules/index.js';

/** All names in a written folder that are derived from the server's name. */
export interface Names {
  /** The resources server: its instance, its implementation and its folder. */
  server: string;
  /** The agent's instance, which each row names. */
  agent: string;
  /** The instance that NeMo RL sends rows to. */
  environment: string;
  /** Path of the folder in a Gym root. */
  folder: string;
  /** Path of the config in the folder. */
  config: string;
  /** Path of a split's rows in the folder. */
  rows(split: string): string;
  /** The Python project, which must not have the name of a dependency. */
  project: string;
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

/**
 * The default for `--name`: `My-Env.v2` becomes `my_env_v2`.
 * @returns "" if no letter or digit is left, which the rules reject
 */
export function slug(envName: string): string {
  const words = snakeCase(envName.normalize('NFKD').replace(/\p{M}/gu, ''));
  return /^\d/.test(words) ? `env_${words}` : words;
}
