import { parse } from 'smol-toml';
import { UserError } from '../../errors.js';
import { readRegular } from '../../files.js';
import { isRecord } from '../../json/guards.js';

/** The uv settings of NeMo RL's project, which the job's first install obeys. */
export interface UvPolicy {
  overrides: string[];
  constraints: string[];
}

/** @throws UserError if the file cannot be read, or has no such settings */
export async function readUvPolicy(file: string): Promise<UvPolicy> {
  const toml = parsed((await readRegular(file, 'configBytes')).toString(), file);
  const tool = isRecord(toml.tool) ? toml.tool : {};
  const uv = isRecord(tool.uv) ? tool.uv : {};
  const lines = (key: string): string[] => {
    const value = uv[key] ?? [];
    if (Array.isArray(value) && value.every((line) => typeof line === 'string')) return value;
    throw new UserError(`[tool.uv] ${key} is not a list of requirements`, { where: file, fix: 'correct the file' });
  };
  const policy = { overrides: lines('override-dependencies'), constraints: lines('constraint-dependencies') };
  if (policy.overrides.length + policy.constraints.length > 0) return policy;
  throw new UserError('file has no [tool.uv] override-dependencies and constraint-dependencies', {
    where: file,
    fix: 'pass the pyproject.toml of the NeMo RL checkout that the image was built from',
  });
}

function parsed(text: string, where: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (cause) {
    throw new UserError('invalid TOML', { where, fix: 'correct the file', cause });
  }
}
