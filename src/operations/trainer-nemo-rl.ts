import { UserError } from '../errors.js';
import { realPath, translateErrors } from '../files.js';
import { type SignedStatus, signed, targetFile, writeSigned } from '../output/index.js';
import type { OnProgress } from '../reporter.js';
import { type NemoRlConfig, type NemoRlRequest, nemoRlConfig } from '../trainers/nemo-rl/index.js';
import { targetFolders } from '../written/index.js';

export interface TrainerNemoRlRequest extends Pick<NemoRlRequest, 'checkout' | 'base' | 'runFrom' | 'rows' | 'config'> {
  /** Gym root, or a folder of its `resources_servers/`. */
  target: string;
  /** Names of servers; may be empty if the root has only one. */
  names: readonly string[];
  /** Path of the config; `grpo_<name>.yaml` if it is missing. */
  file?: string | undefined;
  /** Whether to replace a file that gymgen did not write, or that was edited. */
  force: boolean;
  /** Whether to write nothing. */
  dryRun: boolean;
}

export interface TrainerNemoRlReport extends NemoRlConfig {
  status: SignedStatus;
  /** Path of the config, as passed or by default. */
  file: string;
}

/**
 * Writes the config of NeMo RL for written servers. Nothing in the Gym root changes.
 * @param progress called now and then with what is being done
 * @throws UserError if NeMo RL would reject the config, or if another file exists at its path; then nothing is written
 */
export async function trainerNemoRl(
  { target, names, file: named, force, dryRun, ...request }: TrainerNemoRlRequest,
  progress: OnProgress,
  signal: AbortSignal,
): Promise<TrainerNemoRlReport> {
  const targets = await targetFolders(target, names);
  const file = named ?? `grpo_${targets.folders.map(({ name }) => name).join('_')}.yaml`;
  const path = await translateErrors(file, () => targetFile(file, 'grpo.yaml'));
  if (request.base !== undefined && (await realPath(request.base)) === (await realPath(path))) {
    throw new UserError('the config would replace its base', { where: file, fix: 'choose another name with -o' });
  }
  const config = await nemoRlConfig({ ...request, targets, file: path }, { signal, progress });
  const text = signed('trainer nemo-rl', config.text);
  return { ...config, text, file, status: await writeSigned({ path, file, text }, { force, dryRun }) };
}
