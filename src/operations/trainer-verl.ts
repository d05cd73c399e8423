import { translateErrors } from '../files.js';
import { type SignedStatus, signed, targetFile, writeSigned } from '../output/index.js';
import type { OnProgress } from '../reporter.js';
import { type VerlConfig, type VerlRequest, verlConfig } from '../trainers/verl/index.js';
import { targetFolders } from '../written/index.js';

export interface TrainerVerlRequest extends Pick<VerlRequest, 'checkout' | 'rows' | 'options'> {
  /** Gym root, or a folder of its `resources_servers/`. */
  target: string;
  /** Names of servers; may be empty if the root has only one. */
  names: readonly string[];
  /** Path of the file; `verl_<name>.yaml` if it is missing. */
  file?: string | undefined;
  /** Whether to replace a file that gymgen did not write, or that was edited. */
  force: boolean;
  /** Whether to write nothing. */
  dryRun: boolean;
}

export interface TrainerVerlReport extends VerlConfig {
  status: SignedStatus;
  /** Path of the file, as passed or by default. */
  file: string;
}

/**
 * Writes the file that verl's recipe reads. Nothing in the Gym root changes.
 * @param progress called now and then with what is being done
 * @throws UserError if verl could not train on the rows, or if another file exists at the path; then nothing is written
 */
export async function trainerVerl(
  { target, names, file: named, force, dryRun, ...request }: TrainerVerlRequest,
  progress: OnProgress,
  signal: AbortSignal,
): Promise<TrainerVerlReport> {
  const targets = await targetFolders(target, names);
  const file = named ?? `verl_${targets.folders.map(({ name }) => name).join('_')}.yaml`;
  const path = await translateErrors(file, () => targetFile(file, 'verl.yaml'));
  const config = await verlConfig({ ...request, targets, file: path }, { signal, progress });
  const text = signed('trainer verl', config.text);
  return { ...config, text, file, status: await writeSigned({ path, file, text }, { force, dryRun }) };
}
