import { basename, dirname } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { type Finding, quote } from './finding.js';

export interface GymRoot {
  /** Absolute. */
  path: string;
  /** The text of its `pyproject.toml`, where it has one. */
  pyproject?: string | undefined;
  /** The text of its `nemo_gym/package_info.py`, if it is a checkout of NeMo Gym. */
  packageInfo?: string | undefined;
  /** Whether it has the folder `environment_servers/`, as NeMo Gym 0.7 has. */
  environmentServers?: boolean;
}

/** What the path may hold: what Hydra takes unquoted in `+config_paths=[…]`, without the separators and the shell's own. */
const PATH = /^[A-Za-z0-9_./@%+ -]*$/;

/** `root-…`: a Gym root that Gym can load a config from and install a server in. */
export function gymRoot(root: GymRoot): Finding[] {
  return [...rootPath(root.path), ...rootNested(root.path), ...rootProject(root), ...rootVersion(root)];
}

/**
 * `root-path`: `--config PATH` becomes `+config_paths=[PATH]`, unquoted (nemo_gym/cli/main.py, `CONFIG`), so Hydra's grammar
 * decides; NEMO_GYM_EXTRA_ROOTS and PYTHONPATH are split at `:` (nemo_gym/__init__.py, `_extra_roots`).
 */
function rootPath(path: string): Finding[] {
  if (PATH.test(path)) return [];
  const bad = [...new Set([...path].filter((char) => !PATH.test(char)))].map(quote).join(' ');
  return [
    {
      code: 'root-path',
      where: `Gym root ${quote(path)}`,
      what: `its path holds ${bad}, which Gym's --config can't take`,
      fix: 'write to a path of ASCII letters, digits, spaces and _ . - + @ %',
    },
  ];
}

/** `root-nested`: the root is the folder above `resources_servers/` (nemo_gym/__init__.py, `_extra_roots`). */
function rootNested(path: string): Finding[] {
  if (basename(path) !== 'resources_servers') return [];
  return [
    {
      code: 'root-nested',
      where: `Gym root ${quote(path)}`,
      what: 'is a resources_servers/ folder, not the folder that holds it',
      fix: `write to ${quote(dirname(path))}`,
    },
  ];
}

/**
 * `root-project`, `root-toml`: a `pyproject.toml` makes Gym take the root for its own checkout and install the server with its
 * sources section, `../..` as nemo-gym (nemo_gym/cli/setup_command.py, `setup_env_command`), which fails in another project.
 */
function rootProject({ path, pyproject }: GymRoot): Finding[] {
  const where = `Gym root ${quote(path)}`;
  const project = pyproject === undefined ? undefined : projectIn(pyproject);
  if (project === undefined || project.name === 'nemo-gym') return [];
  if (project.fault !== undefined) {
    return [
      {
        code: 'root-toml',
        where,
        what: `its pyproject.toml is not valid TOML: ${project.fault}`,
        fix: 'correct that file, or write to a folder of its own',
      },
    ];
  }
  return [
    {
      code: 'root-project',
      where,
      what: "its pyproject.toml is another project's, and Gym would install that as nemo-gym",
      fix: 'write to a folder of its own, such as a new gym-root/ in it, or to a checkout of NeMo Gym',
    },
  ];
}

/** The oldest NeMo Gym with environment servers, which the written config names. */
const OLDEST = [0, 7] as const;

/** `root-version`: a checkout of NeMo Gym must be new enough to run what is written. */
function rootVersion({ path, pyproject, packageInfo, environmentServers }: GymRoot): Finding[] {
  const isGym = pyproject !== undefined && projectIn(pyproject).name === 'nemo-gym';
  const version = packageInfo === undefined ? undefined : versionIn(packageInfo);
  if (!isGym && version === undefined) return [];
  const isOld = version === undefined ? environmentServers === false : isOlder(version);
  if (!isOld && environmentServers !== false) return [];
  const lack = environmentServers === false ? ['without environment_servers/'] : [];
  const found = [...(version ? [version.join('.')] : []), ...lack].join(', ');
  return [
    {
      code: 'root-version',
      where: `Gym root ${quote(path)}`,
      what: `is a checkout of NeMo Gym ${found}; ${OLDEST.join('.')} or newer is needed`,
      fix: `check out NeMo Gym ${OLDEST.join('.')} or newer, or write to a folder of its own`,
    },
  ];
}

function isOlder([major = 0, minor = 0]: readonly number[]): boolean {
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

/** `MAJOR = 0` and so on, a line each (nemo_gym/package_info.py). */
function versionIn(packageInfo: string): number[] | undefined {
  const numbers = new Map<string, number>();
  for (const [, name = '', number] of packageInfo.matchAll(/^(MAJOR|MINOR|PATCH) {0,4}= {0,4}(\d{1,6})\b/gm)) {
    numbers.set(name, Number(number));
  }
  const [major, minor, patch] = ['MAJOR', 'MINOR', 'PATCH'].map((name) => numbers.get(name));
  if (major === undefined || minor === undefined) return undefined;
  return [major, minor, ...(patch === undefined ? [] : [patch])];
}

function projectIn(pyproject: string): { name?: string; fault?: string } {
  try {
    const { project } = parse(pyproject);
    const name = typeof project === 'object' && 'name' in project ? project.name : undefined;
    return typeof name === 'string' ? { name: name.toLowerCase().replace(/[-_.]+/g, '-') } : {};
  } catch (error) {
    const [what = ''] = (error as Error).message.split('\n');
    return { fault: error instanceof TomlError ? `${what} (line ${error.line})` : what };
  }
}
