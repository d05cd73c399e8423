import { UserError } from '../errors.js';
import { describe, gymRoot, instanceName } from '../rules/index.js';
import { readGymRoot } from '../written/index.js';

/** The root may have been moved to a path that NEMO_GYM_EXTRA_ROOTS cannot name. @throws UserError if it was */
export async function assertUsableRoot(root: string): Promise<void> {
  const findings = gymRoot(await readGymRoot(root)).filter(({ code }) => code === 'root-path');
  if (findings.length === 0) return;
  throw new UserError('NeMo Gym cannot use this Gym root', { where: root, details: findings.map(describe) });
}

/** The folder may have been renamed. @throws UserError if NeMo Gym cannot use its name */
export function assertUsableName({ name, folder }: { name: string; folder: string }): void {
  const findings = instanceName(name);
  if (findings.length === 0) return;
  throw new UserError('NeMo Gym cannot use the name of this folder', {
    where: folder,
    details: findings.map(({ problem }) => problem),
    fix: 'write it with another name',
  });
}
