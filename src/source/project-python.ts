import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'smol-toml';
import { UserError } from '../errors.js';
import type { SetupReporter } from '../reporter.js';
import { cachedFolder, folderOfThisRun, homeFolder } from './cache.js';
import { createEnvironment, pythonIn, SUPPORTED_PYTHON } from './python.js';

/** Where a project declares its dependencies; the first existing file is used. */
const REQUIREMENTS = ['pyproject.toml', 'server/requirements.txt', 'requirements.txt'];

/**
 * The Python of an environment with a project's dependencies. It is not the environment that uv would create in the
 * project's folder, which may be read-only. It is reused until a file or variable that uv reads changes. If it needs code in
 * other local folders, which can change at any time, it is created for this run only.
 * @param project the project's folder, whose uv settings apply
 * @throws UserError if the project declares no dependencies, or with uv's message if the environment cannot be created
 */
export async function projectPython(project: string, reporter: SetupReporter, signal: AbortSignal): Promise<string> {
  const name = path.basename(project);
  const requirements = await requirementsOf(project);
  const { identity, complete } = await projectInputs(project, requirements);
  const wanted = {
    name,
    python: requirements.endsWith('.toml') ? requiredPython(await readFile(requirements, 'utf8')) : SUPPORTED_PYTHON,
    install: ['--requirements', requirements],
    options: [],
    cwd: project,
  };
  const create = (fresh: string) => createEnvironment(wanted, fresh, reporter, signal);
  if (!complete) return pythonIn(await folderOfThisRun(create));
  return pythonIn(await cachedFolder(`envs/projects/${name.replace(/[^\w.-]/g, '_')}`, identity, create));
}

async function requirementsOf(project: string): Promise<string> {
  for (const name of REQUIREMENTS) {
    const file = path.join(project, name);
    if (await textOf(file)) return file;
  }
  throw new UserError(`${path.basename(project)} declares no dependencies`, {
    where: project,
    details: [`none of these files has any content: ${REQUIREMENTS.join(', ')}`],
    fix: 'add one of these files to the project, or serve the project yourself and pass its URL',
  });
}

function requiredPython(pyproject: string): string {
  try {
    const { project } = parse(pyproject) as { project?: { 'requires-python'?: unknown } };
    const required = project?.['requires-python'];
    return typeof required === 'string' ? `${SUPPORTED_PYTHON},${required}` : SUPPORTED_PYTHON;
  } catch {
    return SUPPORTED_PYTHON; // uv reports the error
  }
}

/** The input that decides which packages uv installs for a project. */
interface ProjectInputs {
  /** Changes if any of the input changes. */
  identity: string;
  /** False if packages are built from code in local folders, which `identity` does not cover. */
  complete: boolean;
}

/** Files that uv reads in the project's folder and in the folders above it. */
const SETTINGS = ['pyproject.toml', 'uv.toml', 'uv.lock', '.python-version'];
/** Variables whose values are paths of more files. */
const FILE_VARIABLES = ['UV_CONFIG_FILE', 'UV_CONSTRAINT', 'UV_OVERRIDE', 'UV_BUILD_CONSTRAINT', 'UV_EXCLUDE'];

/** A path, or a `file:` URL, of a package. */
const LOCAL = /^(?:\.{0,2}\/|\.{1,2}$|file:)|@\s*(?:\.{0,2}\/|file:)/i;
const REMOTE = /^(?:[a-z]+\+)?(?:https?|ssh|git):/i;
/** `name[extra] >= 1; marker` or `name @ URL` (PEP 508), or a URL. */
const FROM_INDEX = /^[a-z0-9][\w.-]*\s*(?:\[[^\]]*\]\s*)?(?:$|[<>=!~(;]|@\s*(?:[a-z]+\+)?(?:https?|ssh|git):)/i;
const ARCHIVE = /\.(?:whl|zip|tgz|tar\.\w+)$/i;
const INCLUDE = /^(?:-r|-c|--requirements?|--constraints?)[\s=]*([^\s=].*)$/;
const LOCAL_OPTION = /^(?:-e|--editable|-f|--find-links)[\s=]*([^\s=].*)$/;

/** Reads everything that `uv pip install --requirements FILE` reads for a project. */
export async function projectInputs(folder: string, requirements: string): Promise<ProjectInputs> {
  const real = await realpath(folder);
  const variables = Object.entries(process.env).filter(([name]) => name.startsWith('UV_'));
  const files = new Map<string, string | null>();
  const config = process.env.XDG_CONFIG_HOME || path.join(homeFolder(), '.config');
  const named = FILE_VARIABLES.flatMap((name) => (process.env[name] ?? '').split(/\s+/).filter(Boolean));
  const settings = [
    ...upwards(real).flatMap((parent) => SETTINGS.map((name) => path.join(parent, name))),
    ...[path.join(config, 'uv', 'uv.toml'), '/etc/uv/uv.toml', ...named].map((file) => path.resolve(real, file)),
  ];
  for (const file of settings) files.set(file, await textOf(file));
  const complete = [
    ...[...files].map(([file, text]) => !file.endsWith('.toml') || text === null || isComplete(text)),
    requirements.endsWith('.toml') || (await readRequirements(path.resolve(requirements), files)),
  ].every(Boolean);
  return { identity: JSON.stringify([real, variables.sort(), [...files].sort()]), complete };
}

function upwards(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}

/**
 * Adds a requirements file, and the files that it includes, to `files`.
 * @returns whether all packages come from an index or a remote URL
 */
async function readRequirements(file: string, files: Map<string, string | null>): Promise<boolean> {
  const text = await textOf(file);
  files.set(file, text);
  if (text === null) return false;
  let complete = true;
  for (const line of logicalLines(text)) {
    const included = INCLUDE.exec(line)?.[1];
    if (included === undefined) complete &&= isRemoteLine(line);
    else if (!REMOTE.test(included)) {
      const next = path.resolve(path.dirname(file), included);
      if (!files.has(next)) complete = (await readRequirements(next, files)) && complete;
    }
  }
  return complete;
}

/** Removes comments, and joins continued lines. */
function logicalLines(text: string): string[] {
  const lines = text.replace(/\\\r?\n/g, ' ').split(/\r?\n/);
  return lines.map((line) => line.replace(/(?:^|\s)#.*$/, '').trim()).filter((line) => line !== '');
}

function isRemoteLine(line: string): boolean {
  const location = LOCAL_OPTION.exec(line)?.[1];
  if (location !== undefined) return REMOTE.test(location);
  if (line.startsWith('-')) return true;
  if (REMOTE.test(line)) return true;
  const [requirement = ''] = line.split(/\s/, 1);
  return FROM_INDEX.test(line) && !ARCHIVE.test(requirement);
}

/** Whether a pyproject.toml or uv.toml refers to no local code. */
function isComplete(toml: string): boolean {
  try {
    const { project, tool, ...rest } = parse(toml) as Record<string, Record<string, unknown>>;
    const { dynamic, dependencies } = project ?? {};
    if (Array.isArray(dynamic) && dynamic.includes('dependencies')) return false;
    return ![dependencies, tool?.uv, project === undefined && tool === undefined ? rest : {}].some(refersToLocalCode);
  } catch {
    return true; // uv reports the error
  }
}

function refersToLocalCode(value: unknown): boolean {
  if (typeof value === 'string') return LOCAL.test(value);
  if (Array.isArray(value)) return value.some(refersToLocalCode);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => {
    if (key === 'path' || (key === 'workspace' && member === true)) return true;
    if (key === 'find-links') return [member].flat().some((location) => !REMOTE.test(String(location)));
    return refersToLocalCode(member);
  });
}

function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null);
}
