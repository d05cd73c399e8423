import { quote } from '../finding.js';
import type { Entry, PackageFacts } from './facts.js';
import { hasWheels, MODELS, WHEELS } from './formats.js';
import { type Problem, type Rule, rule } from './rule.js';

const jsonl = rule<PackageFacts>(
  {
    code: 'package-jsonl',
    severity: 'error',
    rule: 'A package has no .jsonl file, not even in a hidden folder',
    why: 'Rows belong to the dataset, which has a file set of its own (`validate_manifest_against_listing`).',
    when: 'submit',
  },
  ({ entries }) =>
    entries
      .filter(({ path, kind }) => kind !== 'folder' && path.endsWith('.jsonl'))
      .map(({ path }) => problemAt(path, 'is a file of rows', 'move it to the dataset, or into a wheel')),
);

const models = rule<PackageFacts>(
  {
    code: 'models-file',
    severity: 'error',
    rule: `${MODELS}/ has only files that config_paths names`,
    why: "The operator owns the models: the job's loader rejects any other file there.",
    when: 'start',
  },
  ({ entries, manifest }) =>
    manifest === undefined
      ? []
      : entries
          .filter(({ path, kind }) => kind !== 'folder' && path.startsWith(`${MODELS}/`))
          .filter(({ path }) => !manifest.configPaths.includes(path))
          .map(({ path }) => problemAt(path, 'is not in config_paths', 'remove it, or add it to config_paths')),
);

const links = rule<PackageFacts>(
  {
    code: 'package-symlink',
    severity: 'warning',
    rule: 'A package has no symlinks',
    why: 'An upload follows links or drops them, so the job gets a different package.',
    when: 'start',
  },
  ({ entries, manifest }) =>
    entries
      .filter(({ path, kind }) => kind === 'link' && path !== WHEELS && !path.startsWith(`${WHEELS}/`))
      .filter(({ path }) => !manifest?.configPaths.some((config) => config === path || config.startsWith(`${path}/`)))
      .map(({ path, target }) =>
        problemAt(
          path,
          `is a symlink${target === 'outside' ? ' out of the package' : ''}`,
          'replace it with its target',
        ),
      ),
);

const rootPyproject = rule<PackageFacts>(
  {
    code: 'root-pyproject',
    severity: 'error',
    rule: 'The root of a package has no pyproject.toml',
    why: 'Gym would mistake the package for its own checkout, and add no nemo-gym to the venvs (`setup_env_command`).',
    when: 'start',
  },
  ({ entries }) => rootFile(entries, 'pyproject.toml', 'makes Gym mistake the package for a checkout of NeMo Gym'),
);

const rootUv = rule<PackageFacts>(
  {
    code: 'root-uv',
    severity: 'error',
    rule: "A package has no uv.toml at its root or in a server's folder",
    why: 'uv reads the settings of the folder in which Gym runs it, and of the folders above that folder.',
    when: 'start',
  },
  ({ entries, servers }) =>
    ['', ...servers.map(({ path }) => `${path}/`)].flatMap((folder) =>
      rootFile(entries, `${folder}uv.toml`, 'changes how uv installs into the venvs'),
    ),
);

function rootFile(entries: readonly Entry[], path: string, problem: string): Problem[] {
  const isFound = entries.some((entry) => entry.path === path && entry.kind !== 'folder');
  return isFound ? [problemAt(path, problem, 'remove it')] : [];
}

const wheelsNone = rule<PackageFacts>(
  {
    code: 'wheels-none',
    severity: 'error',
    rule: `A wheels-v1 or adapter-wheels-v1 package has wheels in ${WHEELS}/`,
    why: 'The job installs from this folder, without network.',
    when: 'submit',
  },
  ({ entries, manifest }) => {
    if (!isWheelhouse(manifest) || entries.some(({ path }) => path === WHEELS || path.startsWith(`${WHEELS}/`))) {
      const folder = entries.find(({ path }) => path === WHEELS);
      const isEmpty = folder?.kind === 'folder' && !entries.some(({ path }) => path.startsWith(`${WHEELS}/`));
      return isWheelhouse(manifest) && isEmpty ? [problemAt(WHEELS, 'is empty', 'add the wheels')] : [];
    }
    const fix = 'add the wheels, or use format: native-v1';
    return [{ at: { file: WHEELS }, subject: 'package', problem: `has no ${WHEELS}/ folder`, fix }];
  },
);

const wheelsOther = rule<PackageFacts>(
  {
    code: 'wheels-other-file',
    severity: 'error',
    rule: `${WHEELS}/ has only .whl files`,
    why: 'Both loaders reject any other file, including the .gitignore of `uv build`.',
    when: 'submit',
  },
  ({ entries, manifest }) =>
    wheelEntries(manifest, entries)
      .filter(({ path, kind }) => kind !== 'folder' && !isNested(path) && !path.endsWith('.whl'))
      .map(({ path }) =>
        problemAt(
          path,
          'is not a wheel',
          path.endsWith('.gz') || path.endsWith('.zip') ? 'build its wheel' : 'remove it',
        ),
      ),
);

const wheelsNested = rule<PackageFacts>(
  {
    code: 'wheels-nested',
    severity: 'error',
    rule: `${WHEELS}/ has no subfolders`,
    why: "`uv pip install --find-links` does not look into them, and the job's loader rejects them.",
    when: 'start',
  },
  ({ entries, manifest }) =>
    wheelEntries(manifest, entries)
      .filter(({ path, kind }) => kind !== 'folder' && isNested(path))
      .map(({ path }) => problemAt(path, `is in a subfolder of ${WHEELS}/`, `move it to ${WHEELS}/`)),
);

const wheelsLinks = rule<PackageFacts>(
  {
    code: 'wheels-symlink',
    severity: 'error',
    rule: `${WHEELS}/ and its wheels are not symlinks`,
    why: "An upload does not keep links, and the job's loader rejects them.",
    when: 'start',
  },
  ({ entries, manifest }) =>
    isWheelhouse(manifest)
      ? entries
          .filter(({ path, kind }) => kind === 'link' && (path === WHEELS || path.startsWith(`${WHEELS}/`)))
          .map(({ path }) => problemAt(path, 'is a symlink', 'replace it with its target'))
      : [],
);

const wheelsTwice = rule<PackageFacts>(
  {
    code: 'wheels-twice',
    severity: 'error',
    rule: `${WHEELS}/ has only one wheel of a project`,
    why: "The job's loader rejects a second one, even of the same version (`duplicate_wheel_distributions`).",
    when: 'start',
  },
  ({ entries, manifest }) => {
    const first = new Map<string, string>();
    return wheelEntries(manifest, entries).flatMap(({ path, kind }) => {
      const file = path.slice(WHEELS.length + 1);
      const parts = file.split('-');
      if (kind === 'folder' || isNested(path) || !file.endsWith('.whl') || parts.length < 5) return [];
      const project = (parts[0] as string).toLowerCase().replace(/[-_.]+/g, '-');
      const other = first.get(project);
      if (other === undefined) {
        first.set(project, file);
        return [];
      }
      return [
        problemAt(path, `is a second wheel of ${quote(project)}, beside ${quote(other)}`, 'remove one of the two'),
      ];
    });
  },
);

function isWheelhouse(manifest: PackageFacts['manifest']): boolean {
  return manifest?.format !== undefined && hasWheels(manifest.format);
}

function wheelEntries(manifest: PackageFacts['manifest'], entries: readonly Entry[]): readonly Entry[] {
  return isWheelhouse(manifest) ? entries.filter(({ path }) => path.startsWith(`${WHEELS}/`)) : [];
}

function isNested(path: string): boolean {
  return path.indexOf('/', WHEELS.length + 1) !== -1;
}

function problemAt(file: string, problem: string, fix: string): Problem {
  return { at: { file }, subject: quote(file), problem, fix };
}

export const LAYOUT_RULES: readonly Rule<PackageFacts>[] = [
  jsonl,
  models,
  links,
  rootPyproject,
  rootUv,
  wheelsNone,
  wheelsOther,
  wheelsNested,
  wheelsLinks,
  wheelsTwice,
];
