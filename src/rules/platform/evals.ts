import { quote } from '../finding.js';
import type { PackageFacts } from './facts.js';
import { AGENTS, MANIFEST, MODELS, RESOURCES_SERVERS } from './formats.js';
import { lineNear } from './manifest.js';
import { type Problem, type Rule, rule } from './rule.js';

const format = rule<PackageFacts>(
  {
    code: 'evals-format',
    severity: 'error',
    rule: 'A package for evals is native-v1 or wheels-v1',
    why: 'The evals host runs no adapter.',
    when: 'submit',
  },
  ({ target, manifest }) => {
    if (target !== 'evals' || manifest?.format !== 'adapter-wheels-v1') return [];
    const at = { file: MANIFEST, line: lineNear(manifest, ['format']) };
    const fix = 'use native-v1 or wheels-v1';
    return [{ at, subject: 'format', problem: 'is adapter-wheels-v1, which evals do not run', fix }];
  },
);

const models = rule<PackageFacts>(
  {
    code: 'evals-models',
    severity: 'error',
    rule: `A package for evals has no ${MODELS}, neither files nor instances`,
    why: 'The evals host provides the model (`inspect_environment_components`, sandboxed_gym).',
    when: 'start',
  },
  ({ target, instances, entries }) => {
    if (target !== 'evals') return [];
    const files = entries.filter(({ path, kind }) => kind !== 'folder' && path.startsWith(`${MODELS}/`));
    const ofFiles = files.map(({ path }): Problem => {
      return { at: { file: path }, subject: quote(path), problem: 'is not for evals', fix: 'remove it' };
    });
    const ofInstances = instances
      .filter(({ types, config }) => types.includes(MODELS) && !files.some(({ path }) => path === config.file))
      .map(({ name, config }): Problem => {
        const at = { file: config.file, line: config.line([name]) };
        return {
          at,
          subject: `instance ${quote(name)}`,
          problem: 'is a model, which the evals host provides',
          fix: 'remove it',
        };
      });
    return [...ofFiles, ...ofInstances];
  },
);

const crossType = rule<PackageFacts>(
  {
    code: 'cross-type',
    severity: 'error',
    rule: 'In a package for evals, no agent has the name of a resources server, folders included',
    why: 'The evals host looks up both in one list (`validate_environment_namespaces`, sandboxed_gym).',
    when: 'start',
  },
  ({ target, instances, entries }) => {
    if (target !== 'evals') return [];
    const folders = (type: string) =>
      entries
        .filter(({ path, kind }) => kind === 'folder' && path.startsWith(`${type}/`) && path.split('/').length === 2)
        .map(({ path }) => path.slice(type.length + 1));
    const named = (type: typeof AGENTS | typeof RESOURCES_SERVERS) =>
      new Set([...instances.filter(({ types }) => types.includes(type)).map(({ name }) => name), ...folders(type)]);
    const servers = named(RESOURCES_SERVERS);
    return [...named(AGENTS)]
      .filter((name) => servers.has(name))
      .map((name) => {
        const instance = instances.find((one) => one.name === name);
        const at = instance
          ? { file: instance.config.file, line: instance.config.line([name]) }
          : { file: `${RESOURCES_SERVERS}/${name}` };
        const problem = 'is the name of an agent and of a resources server';
        return { at, subject: quote(name), problem, fix: 'rename one of them' };
      });
  },
);

export const EVALS_RULES: readonly Rule<PackageFacts>[] = [format, models, crossType];
