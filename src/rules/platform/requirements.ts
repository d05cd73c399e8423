import { quote } from '../finding.js';
import type { PackageFacts, ServerFolder } from './facts.js';
import { hasWheels } from './formats.js';
import { type Problem, type Rule, type RuleText, rule } from './rule.js';

/** A line of a requirements.txt that is not empty and not a comment. */
export interface RequirementLine {
  text: string;
  line: number;
  kind: 'project' | 'path' | 'git' | 'url' | 'option' | 'dropped';
}

/**
 * The lines that Gym hands to uv. A line with `../..` is dropped: it is how Gym's own servers name Gym (`grep -v -F '../..'`,
 * nemo_gym/cli/setup_command.py).
 */
export function requirementLines(text: string): RequirementLine[] {
  return text.split(/\r?\n/).flatMap((raw, index) => {
    const line = raw.replace(/(^|\s)#.*$/, '').trim();
    return line === '' ? [] : [{ text: line, line: index + 1, kind: kindOf(raw, line) }];
  });
}

function kindOf(raw: string, line: string): RequirementLine['kind'] {
  if (raw.includes('../..')) return 'dropped';
  const target = /^(?:-e|--editable)[ =]?(.*)$/.exec(line)?.[1]?.trim() ?? line.replace(/^[\w.[\], -]+@/, '').trim();
  if (/^(?:git|hg|svn|bzr)\+/i.test(target)) return 'git';
  if (/^https?:/i.test(target)) return 'url';
  if (/^(?:\.|\/|~|file:)/i.test(target) || /^[\w.-]+\//.test(target) || /^(?:-e|--editable)/.test(line)) return 'path';
  return line.startsWith('-') ? 'option' : 'project';
}

const pyproject = onServer(
  {
    code: 'server-pyproject',
    severity: 'error',
    rule: "A server's folder in a package has requirements.txt, not pyproject.toml",
    why: 'Gym installs it with `-e .`, which writes into the folder. A job mounts the package read-only.',
    when: 'start',
  },
  ({ path, files }) =>
    files.has('pyproject.toml') && !files.has('requirements.txt')
      ? [
          {
            at: { file: `${path}/pyproject.toml` },
            subject: quote(path),
            problem: 'is installed from pyproject.toml, which writes into the folder',
            fix: 'list its dependencies in requirements.txt instead',
          },
        ]
      : [],
);

const empty = onServer(
  {
    code: 'requirements-empty',
    severity: 'warning',
    rule: 'requirements.txt is not empty',
    why: 'It installs, unless the operator sets nemo_gym_log_dir: then `grep` ends the pipe with exit code 1.',
    when: 'never',
  },
  ({ path, requirements }) =>
    requirements !== undefined && requirements.trim() === ''
      ? [
          {
            at: { file: `${path}/requirements.txt` },
            subject: quote(`${path}/requirements.txt`),
            problem: 'is empty',
            fix: 'add a comment line',
          },
        ]
      : [],
);

const paths = onLine(
  {
    code: 'requirements-path',
    severity: 'error',
    rule: 'requirements.txt names no folder or file',
    why: 'uv reads it from stdin. A package is read-only: nothing in it can be built, and nothing outside of it exists.',
    when: 'start',
  },
  ({ kind }) => (kind === 'path' ? ['names a path', 'put the code into the folder or into a wheel'] : undefined),
);

const gits = onLine(
  {
    code: 'requirements-git',
    severity: 'error',
    rule: 'requirements.txt of a package with wheels names no repository and no URL',
    why: 'The job installs without network.',
    when: 'start',
  },
  ({ kind }, { manifest }) =>
    (kind === 'git' || kind === 'url') && manifest?.format !== undefined && hasWheels(manifest.format)
      ? ['is fetched from the network', 'add its wheel, and name the project and the version']
      : undefined,
);

const fetched = onLine(
  {
    code: 'requirements-fetch',
    severity: 'warning',
    rule: 'requirements.txt of native-v1 names no repository and no URL',
    why: 'A sandbox reaches public names only if the operator allows it, and git must be installed.',
    when: 'start',
  },
  ({ kind }, { manifest }) =>
    (kind === 'git' || kind === 'url') && manifest?.format === 'native-v1'
      ? ['is fetched from a host that is not the package index', 'use a release from an index, or wheels-v1']
      : undefined,
);

const options = onLine(
  {
    code: 'requirements-option',
    severity: 'warning',
    rule: 'requirements.txt has no options',
    why: 'They apply to the whole venv. A file that an option names is not found, because uv reads stdin.',
    when: 'start',
  },
  ({ kind }) => (kind === 'option' ? ['is an option of the installer', 'list the projects themselves'] : undefined),
);

const gym = onLine(
  {
    code: 'requirements-gym',
    severity: 'error',
    rule: "requirements.txt pins no other version of nemo-gym than the image's",
    why: 'Gym adds its own version as a requirement (`_get_nemo_gym_version_spec`).',
    when: 'start',
  },
  ({ text, kind }, { pins }) => {
    const pinned = /^nemo[-_.]gym(?:\[[^\]]*\])?\s*===?\s*([\w.!+-]+)/i.exec(text)?.[1];
    if (kind !== 'project' || pinned === undefined || pinned === pins['nemo-gym']) return undefined;
    return [`pins another version than the image's ${pins['nemo-gym']}`, 'remove it, or name the version with --pin'];
  },
);

function onServer(text: RuleText, judge: (server: ServerFolder) => Problem[]): Rule<PackageFacts> {
  return rule(text, ({ servers }: PackageFacts) => servers.flatMap(judge));
}

function onLine(
  text: RuleText,
  fault: (line: RequirementLine, facts: PackageFacts) => readonly [problem: string, fix: string] | undefined,
): Rule<PackageFacts> {
  return rule(text, (facts: PackageFacts) =>
    facts.servers.flatMap(({ path, requirements = '' }) =>
      requirementLines(requirements).flatMap((line) => {
        const found = fault(line, facts);
        if (found === undefined) return [];
        const at = { file: `${path}/requirements.txt`, line: line.line };
        return [{ at, subject: `requirement ${quote(line.text)}`, problem: found[0], fix: found[1] }];
      }),
    ),
  );
}

export const REQUIREMENTS_RULES: readonly Rule<PackageFacts>[] = [pyproject, empty, paths, gits, fetched, options, gym];
