import { UserError } from '../errors.js';
import { describe, gymRoot } from '../rules/index.js';
import { readGymRoot } from '../written/index.js';

/** The root may have been moved to a path that NEMO_GYM_EXTRA_ROOTS cannot name. @throws UserError if it was */
export async function assertUsableRoot(root: string): Promise<void> {
  const findings = gymRoot(await readGymRoot(root)).filter(({ code }) => code === 'root-path');
  if (findings.length === 0) return;
  throw new UserError('NeMo Gym cannot use this Gym root', { where: root, details: findings.map(describe) });
}
