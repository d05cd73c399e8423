import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'smol-toml';
import { homeFolder } from './cache.js';

/** What decides which packages uv installs for a project. */
export interface ProjectInputs {
  /** Another text means other packages. */
  identity: string;
  /** False if packages are built from code in local folders, which can change while all of these files stay the same. */
  complete: boolean;
}

/** What uv reads in the project's folder and in those above it. */
const SETTINGS = ['pyproject.toml', 'uv.toml', 'uv.lock', '.python-version'];
/** Variables whose value names more files. */
const NAMING_FILES = ['UV_CONFIG_FILE', 'UV_CONSTRAINT', 'UV_OVERRIDE', 'UV_BUILD_CONSTRAINT', 'UV_EXCLUDE'];

/** A path, or a `file:` URL, where a package can stand. */
const LOCAL = /^(?:\.{0,2}\/|\.{1,2}$|file:)|@\s*(?:\.{0,2}\/|file:)/i;
const REMOTE = /^(?:[a-z]+\+)?(?:https?|ssh|git):/i;
/** `name[extra] >= 1; marker` or `name @ URL` (PEP 508), or a URL. */
const FROM_INDEX = /^[a-z0-9][\w.-]*\s*(?:\[[^\]]*\]\s*)?(?:$|[<>=!~(;]|@\s*(?:[a-z]+\+)?(?:https?|ssh|git):)/i;
const ARCHIVE = /\.(?:whl|zip|tgz|tar\.\w+)$/i;
const INCLUDE = /^(?:-r|-c|--requirements?|--constraints?)[\s=]*([^\s=].*)$/;
const LOCAL_OPTION = /^(?:-e|--editable|-f|--find-links)[\s=]*([^\s=].*)$/;

/**
 * Reads all that `uv pip install --requirements FILE` reads for a project.
 * @param folder of the project
 * @param requirements its pyproject.toml or a requirements file
 */
export async function projectInputs(folder: string, requirements: string): Promise<ProjectInputs> {
  const real = await realpath(folder);
  const variables = Object.entries(process.env).filter(([name]) => name.startsWith('UV_'));
  const files = new Map<string, string | null>();
  const config = process.env.XDG_CONFIG_HOME || path.join(homeFolder(), '.config');
  const named = NAMING_FILES.flatMap((name) => (process.env[name] ?? '').split(/\s+/).filter(Boolean));
  const settings = [
    ...upwards(real).flatMap((place) => SETTINGS.map((name) => path.join(place, name))),
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
 * Adds a requirements file, and those that it includes, to `files`.
 * @returns whether they name no local code
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

/** Without comments, and with continued lines joined. */
function logicalLines(text: string): string[] {
  const lines = text.replace(/\\\r?\n/g, ' ').split(/\r?\n/);
  return lines.map((line) => line.replace(/(?:^|\s)#.*$/, '').trim()).filter((line) => line !== '');
}

function isRemoteLine(line: string): boolean {
  const place = LOCAL_OPTION.exec(line)?.[1];
  if (place !== undefined) return REMOTE.test(place);
  if (line.startsWith('-')) return true;
  if (REMOTE.test(line)) return true;
  const [requirement = ''] = line.split(/\s/, 1);
  return FROM_INDEX.test(line) && !ARCHIVE.test(requirement);
}

/** Whether a pyproject.toml or uv.toml names no local code. */
function isComplete(toml: string): boolean {
  try {
    const { project, tool, ...rest } = parse(toml) as Record<string, Record<string, unknown>>;
    const { dynamic, dependencies } = project ?? {};
    if (Array.isArray(dynamic) && dynamic.includes('dependencies')) return false;
    return ![dependencies, tool?.uv, project === undefined && tool === undefined ? rest : {}].some(namesLocalCode);
  } catch {
    return true; // uv says what is wrong with it
  }
}

function namesLocalCode(value: unknown): boolean {
  if (typeof value === 'string') return LOCAL.test(value);
  if (Array.isArray(value)) return value.some(namesLocalCode);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, held]) => {
    if (key === 'path' || (key === 'workspace' && held === true)) return true;
    if (key === 'find-links') return [held].flat().some((place) => !REMOTE.test(String(place)));
    return namesLocalCode(held);
  });
}

function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null);
}
