import { quote } from '../finding.js';
import { BUILT_IN_AGENTS, BUILT_IN_ENVIRONMENT_SERVERS, BUILT_IN_MODELS, BUILT_IN_SERVERS } from '../gym-names.js';
import type { Configs, ServerFolder } from './facts.js';
import type { ServerType } from './formats.js';
import { type Rule, rule } from './rule.js';

/** Implementations that Gym has. */
const BUILT_IN: Readonly<Record<ServerType, ReadonlySet<string>>> = {
  resources_servers: BUILT_IN_SERVERS,
  responses_api_agents: BUILT_IN_AGENTS,
  responses_api_models: BUILT_IN_MODELS,
  environment_servers: BUILT_IN_ENVIRONMENT_SERVERS,
};

/** Whether a folder has a program, and not only configs for one that Gym has. */
export function isServer({ files }: ServerFolder): boolean {
  return (
    files.has('requirements.txt') || files.has('pyproject.toml') || [...files].some((name) => name.endsWith('.py'))
  );
}

const both = rule<Configs>(
  {
    code: 'server-both',
    severity: 'error',
    rule: "A server's folder has requirements.txt or pyproject.toml, not both",
    why: 'Gym refuses to guess (`setup_env_command`, nemo_gym/cli/setup_command.py).',
    when: 'start',
  },
  ({ servers }) =>
    servers
      .filter(({ files }) => files.has('requirements.txt') && files.has('pyproject.toml'))
      .map(({ path }) => ({
        at: { file: `${path}/pyproject.toml` },
        subject: quote(path),
        problem: 'has both requirements.txt and pyproject.toml',
        fix: 'remove one of them',
      })),
);

const neither = rule<Configs>(
  {
    code: 'server-neither',
    severity: 'error',
    rule: "A server's folder has requirements.txt or pyproject.toml",
    why: 'Without one, Gym does not recognize the folder as a server: it stops, or starts its own server of that name.',
    when: 'start',
  },
  ({ servers }) =>
    servers
      .filter((server) => isServer(server) && server.files.has('app.py'))
      .filter(({ files }) => !files.has('requirements.txt') && !files.has('pyproject.toml'))
      .map(({ path }) => ({
        at: { file: path },
        subject: quote(path),
        problem: 'has neither requirements.txt nor pyproject.toml',
        fix: 'add a requirements.txt; a comment is enough',
      })),
);

const implementation = rule<Configs>(
  {
    code: 'implementation-missing',
    severity: 'error',
    rule: 'Each implementation is a folder of the package, or built into Gym',
    why: 'Gym runs the program of that folder.',
    when: 'start',
  },
  ({ instances, servers }) =>
    instances.flatMap(({ type, implementations: [name], config, keys, isPartial }) => {
      if (isPartial || name === undefined || name.includes('/') || BUILT_IN[type].has(name)) return [];
      if (servers.some((server) => server.type === type && server.name === name && isServer(server))) return [];
      const subject = `implementation ${quote(name)}`;
      const problem = `has no program in ${type}/, and Gym has none of that name`;
      const fix = `correct the name, or add ${type}/${name}/ with app.py and requirements.txt`;
      return [{ at: { file: config.file, line: config.line(keys) }, subject, problem, fix }];
    }),
);

const entrypoint = rule<Configs>(
  {
    code: 'entrypoint-other',
    severity: 'error',
    rule: "entrypoint is a file in the server's folder",
    why: 'Gym runs `python <entrypoint>` there, and stops if the process ends.',
    when: 'start',
  },
  ({ instances, servers }) =>
    instances.flatMap(({ type, implementations: [name], settings, config, keys, isPartial }) => {
      const server = servers.find((one) => one.type === type && one.name === name && isServer(one));
      const file = settings.entrypoint;
      if (isPartial || server === undefined || typeof file !== 'string' || server.files.has(file)) return [];
      if (file.includes('/') || file.includes('${')) return [];
      const at = { file: config.file, line: config.line([...keys, 'entrypoint']) };
      const problem = `is not in ${server.path}/`;
      return [{ at, subject: `entrypoint ${quote(file)}`, problem, fix: 'name the program, such as app.py' }];
    }),
);

export const SERVER_RULES: readonly Rule<Configs>[] = [both, neither, implementation, entrypoint];
