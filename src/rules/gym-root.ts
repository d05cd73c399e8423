import { basename, dirname } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { error, type Finding, quote } from './finding.js';

/** What is known of a Gym root. */
export interface GymRoot {
  /** Absolute. */
  path: string;
  /** Text of its `pyproject.toml`. */
  pyproject?: string | undefined;
  /** Text of its `nemo_gym/package_info.py`, which a checkout of NeMo Gym has. */
  packageInfo?: string | undefined;
  /** Whether it has a folder `environment_servers/`, as NeMo Gym 0.7 does. */
  environmentServers?: boolean;
}

/** `root-…`: a Gym root from which Gym can load a config and install a server. */
export function gymRoot(root: GymRoot): Finding[] {
  return [...rootPath(root), ...rootNested(root), ...rootProject(root), ...rootVersion(root)];
}

const SEPARATE = 'write to a separate folder';

/** What Hydra reads unquoted in `+config_paths=[…]`, without separators and characters that are special to shells. */
const PATH = /^[A-Za-z0-9_./@%+ -]*$/;

/**
 * `root-path`: Gym passes `--config PATH` to Hydra as `+config_paths=[PATH]`, unquoted (`CONFIG`, nemo_gym/cli/main.py), and
 * splits NEMO_GYM_EXTRA_ROOTS and PYTHONPATH at `:` (`_extra_roots`, nemo_gym/__init__.py).
 */
function rootPath({ path }: GymRoot): Finding[] {
  if (PATH.test(path)) return [];
  const bad = [...new Set([...path].filter((char) => !PATH.test(char)))].map(quote).join(' ');
  const problem = `its path contains ${bad}, which Gym's --config does not accept`;
  const fix = 'write to a path of ASCII letters, digits, spaces and _ . - + @ %';
  return [error('root-path', subjectOf(path), problem, fix)];
}

/** `root-nested`: the root is the folder above `resources_servers/` (`_extra_roots`, nemo_gym/__init__.py). */
function rootNested({ path }: GymRoot): Finding[] {
  if (basename(path) !== 'resources_servers') return [];
  const problem = 'is a resources_servers/ folder instead of the folder above it';
  return [error('root-nested', subjectOf(path), problem, `write to ${quote(dirname(path))}`)];
}

/**
 * `root-project`, `root-toml`: if the root has a `pyproject.toml`, Gym takes it for a checkout of NeMo Gym, and installs the root
 * as nemo-gym (`setup_env_command`, nemo_gym/cli/setup_command.py).
 */
function rootProject({ path, pyproject }: GymRoot): Finding[] {
  const project = pyproject === undefined ? undefined : projectIn(pyproject);
  if (project === undefined || project.name === 'nemo-gym') return [];
  if (project.fault !== undefined) {
    const problem = `its pyproject.toml is not valid TOML: ${project.fault}`;
    return [error('root-toml', subjectOf(path), problem, `correct that file, or ${SEPARATE}`)];
  }
  const problem = 'its pyproject.toml belongs to another project, which Gym would install as nemo-gym';
  const fix = `${SEPARATE}, such as a new gym-root/ in it, or to a checkout of NeMo Gym`;
  return [error('root-project', subjectOf(path), problem, fix)];
}

/** The oldest NeMo Gym with environment servers, which the written config uses. */
const OLDEST = [0, 7] as const;

/** `root-version`: a checkout of NeMo Gym that can run the written config. */
function rootVersion({ path, pyproject, packageInfo, environmentServers }: GymRoot): Finding[] {
  const isGym = pyproject !== undefined && projectIn(pyproject).name === 'nemo-gym';
  const version = packageInfo === undefined ? undefined : versionIn(packageInfo);
  if (!isGym && version === undefined) return [];
  const isOld = version === undefined ? environmentServers === false : isOlder(version);
  if (!isOld && environmentServers !== false) return [];
  const lack = environmentServers === false ? ['without environment_servers/'] : [];
  const found = [...(version ? [version.join('.')] : []), ...lack].join(', ');
  const oldest = OLDEST.join('.');
  const problem = `is a checkout of NeMo Gym ${found}; ${oldest} or newer is needed`;
  return [error('root-version', subjectOf(path), problem, `check out NeMo Gym ${oldest} or newer, or ${SEPARATE}`)];
}

function subjectOf(path: string): string {
  return `Gym root ${quote(path)}`;
}

function isOlder([major = 0, minor = 0]: readonly number[]): boolean {
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

/** Reads lines such as `MAJOR = 0` (nemo_gym/package_info.py). */
function versionIn(packageInfo: string): number[] | undefined {
  const numbers = new Map<string, number>();
  for (const [, name = '', number] of packageInfo.matchAll(/^(MAJOR|MINOR|PATCH) {0,4}= {0,4}(\d{1,6})\b/gm)) {
    numbers.set(name, Number(number));
  }
  const [major, minor, patch] = ['MAJOR', 'MINOR', 'PATCH'].map((name) => numbers.get(name));
  if (major === undefined || minor === undefined) return undefined;
  return [major, minor, ...(patch === undefined ? [] : [patch])];
}

/** The normalized name of a project, or the fault of its TOML. */
function projectIn(pyproject: string): { name?: string; fault?: string } {
  try {
    const { project } = parse(pyproject);
    const name = typeof project === 'object' && 'name' in project ? project.name : undefined;
    return typeof name === 'string' ? { name: name.toLowerCase().replace(/[-_.]+/g, '-') } : {};
  } catch (error) {
    const [message = ''] = (error as Error).message.split('\n');
    return { fault: error instanceof TomlError ? `${message} (line ${error.line})` : message };
  }
}
