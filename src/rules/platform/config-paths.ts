import { quote } from '../finding.js';
import type { Entry, PackageFacts } from './facts.js';
import { CONFIG_FOLDERS, MANIFEST } from './formats.js';
import { lineNear, shown } from './manifest.js';
import { type Problem, type Rule, type RuleText, rule } from './rule.js';

const empty = rule<PackageFacts>(
  {
    code: 'paths-empty',
    severity: 'error',
    rule: 'config_paths is a list of one or more strings',
    why: 'A package without a config starts no server (`_ManifestBase`, nhx/rl/schemas/environment.py).',
    when: 'submit',
  },
  ({ manifest }) => {
    if (manifest === undefined) return [];
    const { config_paths: paths } = manifest.value;
    const isList = Array.isArray(paths);
    if (isList && paths.length > 0 && paths.every((path) => typeof path === 'string')) return [];
    const wrong = isList ? paths.findIndex((path) => typeof path !== 'string') : -1;
    const at = { file: MANIFEST, line: lineNear(manifest, wrong === -1 ? ['config_paths'] : ['config_paths', wrong]) };
    const problem = wrong === -1 ? 'is not a list of paths' : `has ${shown(isList ? paths[wrong] : undefined)}`;
    const fix = 'list the configs, policy_model first';
    return [{ at, subject: 'config_paths', problem: isList && paths.length === 0 ? 'is empty' : problem, fix }];
  },
);

const absolute = onPath(
  {
    code: 'paths-absolute',
    severity: 'error',
    rule: 'A config path is relative and stays in the package: no leading / or ./, no . or ..',
    why: 'Both loaders expect a path below the root, and submit looks for exactly this path in the list of files.',
    when: 'submit',
  },
  (path) => {
    const parts = path.split('/');
    if (path.startsWith('/')) return ['is absolute', 'write it relative to the package'];
    if (parts.includes('..')) return ['contains ..', 'name a file of the package'];
    return parts.includes('.') || parts.includes('')
      ? ['is not in its shortest form', `write ${parts.filter((part) => part !== '.' && part !== '').join('/')}`]
      : undefined;
  },
);

const characters = onPath(
  {
    code: 'paths-characters',
    severity: 'error',
    rule: 'A config path has no backslash, and no space at either end',
    why: "The job's loader rejects them (`_validate_relative_config_path`, sandboxed_gym).",
    when: 'submit',
  },
  (path) => {
    if (path.includes('\\')) return ['contains a backslash', `write ${path.replaceAll('\\', '/')}`];
    return path === '' || path !== path.trim()
      ? ['is empty, or begins or ends with a space', 'remove the spaces']
      : undefined;
  },
);

const hidden = onPath(
  {
    code: 'paths-hidden',
    severity: 'error',
    rule: 'A config path does not start with a dot',
    why: 'Submit strips leading dots from the list of files, and then does not find the config.',
    when: 'submit',
  },
  (path) =>
    path.startsWith('.') && !path.startsWith('./') && !path.startsWith('../')
      ? ['starts with a dot', 'move the config to a folder that is not hidden']
      : undefined,
);

const twice = onPath(
  {
    code: 'paths-twice',
    severity: 'error',
    rule: 'No config path is listed twice in config_paths',
    why: "Submit accepts it; the job's loader does not.",
    when: 'start',
  },
  (path, { paths, index }) => (paths.indexOf(path) < index ? ['is listed twice', 'remove one of them'] : undefined),
);

const prefix = onPath(
  {
    code: 'paths-prefix',
    severity: 'error',
    rule: 'Configs are below a folder of servers in native-v1, and below configs/ in adapter-wheels-v1',
    why: 'Both loaders check it by format (`_under_gym_dirs`, nhx/rl/schemas/environment.py).',
    when: 'submit',
  },
  (path, { facts }) => {
    const folders = CONFIG_FOLDERS[facts.manifest?.format ?? 'wheels-v1'];
    if (path.startsWith('/')) return undefined; // `paths-absolute`
    if (folders === undefined || folders.some((folder) => path.startsWith(folder))) return undefined;
    return [`is not below ${folders.join(', ')}, as ${facts.manifest?.format} requires`, `move it below ${folders[0]}`];
  },
);

const missing = onPath(
  {
    code: 'paths-missing-file',
    severity: 'error',
    rule: 'Each config path is a file of the package',
    why: 'Submit looks for it in the list of files, and the job opens it.',
    when: 'submit',
  },
  (path, { facts }) => {
    if (path.startsWith('/') || path.includes('\\') || path.split('/').includes('..')) return undefined; // other rules
    const file = path
      .split('/')
      .filter((part) => part !== '.' && part !== '')
      .join('/')
      .trim();
    const entry = facts.entries.find((one) => one.path === file);
    if (entry?.kind === 'file' || entry?.kind === 'link' || linkAbove(file, facts.entries)) return undefined;
    return [entry === undefined ? 'is not in the package' : 'is not a file', 'correct it, or add the file'];
  },
);

const symlink = onPath(
  {
    code: 'config-symlink',
    severity: 'error',
    rule: 'A config is not a symlink, and not below a symlink',
    why: 'An upload does not keep links, and the loaders reject them.',
    when: 'start',
  },
  (path, { facts }) => {
    const link =
      facts.entries.find((one) => one.path === path && one.kind === 'link') ?? linkAbove(path, facts.entries);
    if (link === undefined) return undefined;
    return [
      link.path === path ? 'is a symlink' : `is below the symlink ${quote(link.path)}`,
      'replace it with the file',
    ];
  },
);

function linkAbove(path: string, entries: readonly Entry[]): Entry | undefined {
  return entries.find((one) => one.kind === 'link' && path.startsWith(`${one.path}/`));
}

interface PathContext {
  facts: PackageFacts;
  paths: readonly unknown[];
  index: number;
}

/** A rule about each entry of `config_paths`. */
function onPath(
  text: RuleText,
  fault: (path: string, context: PathContext) => readonly [problem: string, fix: string] | undefined,
): Rule<PackageFacts> {
  return rule(text, (facts: PackageFacts) => {
    const { manifest } = facts;
    const paths = manifest?.value.config_paths;
    if (manifest === undefined || !Array.isArray(paths)) return [];
    return paths.flatMap((path: unknown, index): Problem[] => {
      const found = typeof path === 'string' ? fault(path, { facts, paths, index }) : undefined;
      if (found === undefined) return [];
      const at = { file: MANIFEST, line: lineNear(manifest, ['config_paths', index]) };
      return [{ at, subject: `config path ${quote(path as string)}`, problem: found[0], fix: found[1] }];
    });
  });
}

export const CONFIG_PATH_RULES: readonly Rule<PackageFacts>[] = [
  empty,
  absolute,
  characters,
  hidden,
  twice,
  prefix,
  missing,
  symlink,
];
