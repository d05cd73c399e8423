import { parse } from 'smol-toml';
import { UserError } from '../errors.js';
import { isRecord } from '../json/guards.js';

/** Anything that a requirements file reads as one requirement by name, with a version or a URL. */
const REQUIREMENT = /^[A-Za-z0-9][ -~]*$/;

/**
 * What a written folder's pyproject.toml requires besides NeMo Gym, which Gym adds to a requirements.txt by itself.
 * @param where path of the file, for messages
 * @throws UserError if the file cannot be used in a package
 */
export function requirementsIn(pyproject: string, where: string): string[] {
  const fix = 'undo the edit, or write the folder again';
  const toml = parsed(pyproject, where);
  const project = isRecord(toml.project) ? toml.project : {};
  const { dependencies = [] } = project;
  if (
    !Array.isArray(dependencies) ||
    !dependencies.every((line) => typeof line === 'string' && REQUIREMENT.test(line))
  ) {
    throw new UserError('dependencies are not a list of requirements', { where, fix });
  }
  const lines = (dependencies as string[])
    .map((line) => line.trim())
    .filter((line) => !/^nemo[-_.]gym(?![\w.-])/i.test(line));
  const sources = sourcesOf(toml);
  const local = lines.filter((line) => sources.has(nameOf(line)));
  if (local.length > 0) {
    throw new UserError('requirements.txt cannot express [tool.uv.sources]', {
      where,
      details: local,
      fix: 'name a released version',
    });
  }
  return lines;
}

function parsed(text: string, where: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (cause) {
    throw new UserError('invalid TOML', { where, fix: 'correct the file', cause });
  }
}

function sourcesOf({ tool }: Record<string, unknown>): Set<string> {
  const uv = isRecord(tool) && isRecord(tool.uv) ? tool.uv : {};
  return new Set(Object.keys(isRecord(uv.sources) ? uv.sources : {}).map(normalized));
}

/** The normalized name of a requirement (PEP 503). */
export function nameOf(requirement: string): string {
  return normalized(/^[A-Za-z0-9._-]*/.exec(requirement)?.[0] ?? '');
}

function normalized(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
