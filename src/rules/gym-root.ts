import { parse } from 'smol-toml';
import type { Finding } from './finding.js';
import { quote } from './text.js';

export interface GymRoot {
  /** Absolute. */
  path: string;
  /** The text of its `pyproject.toml`, where it has one. */
  pyproject?: string | undefined;
}

/** What the path may hold: what Hydra takes unquoted in `+config_paths=[…]`, without the separators and the shell's own. */
const PATH = /^[A-Za-z0-9_./@%+ -]*$/;

/** `root-…`: a Gym root that Gym can load a config from and install a server in. */
export function gymRoot(root: GymRoot): Finding[] {
  return [...rootPath(root.path), ...rootProject(root)];
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

/**
 * `root-project`: a `pyproject.toml` makes Gym take the root for its own checkout and install the server with its sources
 * section, `../..` as nemo-gym (nemo_gym/cli/setup_command.py, `setup_env_command`), which fails in another project.
 */
function rootProject({ path, pyproject }: GymRoot): Finding[] {
  if (pyproject === undefined || projectName(pyproject) === 'nemo-gym') return [];
  return [
    {
      code: 'root-project',
      where: `Gym root ${quote(path)}`,
      what: "its pyproject.toml is another project's, and Gym would install that as nemo-gym",
      fix: 'write to a folder of its own, such as a new gym-root/ in it, or to a checkout of NeMo Gym',
    },
  ];
}

function projectName(pyproject: string): unknown {
  try {
    const { project } = parse(pyproject);
    const name = typeof project === 'object' && 'name' in project ? project.name : undefined;
    return typeof name === 'string' ? name.toLowerCase().replace(/[-_.]+/g, '-') : undefined;
  } catch {
    return undefined;
  }
}
