import { join } from 'node:path';
import { UserError } from '../errors.js';
import { orUndefined, realPath, translateErrors } from '../files.js';
import { type NewFile, replaceableText, signed, targetFile, writeFiles } from '../output/index.js';
import type { OnProgress } from '../reporter.js';
import { type AxolotlRequest, type AxolotlTraining, axolotlTraining, isFixedRows } from '../trainers/axolotl/index.js';
import { targetFolders } from '../written/index.js';

export interface TrainerAxolotlRequest extends Pick<AxolotlRequest, 'form' | 'fix' | 'train' | 'port' | 'options'> {
  /** Gym root, or a folder of its `resources_servers/`. */
  target: string;
  /** Names of servers; may be empty if the root has only one. */
  names: readonly string[];
  /** The output folder; `axolotl_<name>` if it is missing. */
  folder?: string | undefined;
  /** Whether to replace files that gymgen did not write, or that were edited. */
  force: boolean;
  /** Whether to write nothing. */
  dryRun: boolean;
}

export interface TrainerAxolotlReport extends AxolotlTraining {
  status: 'wrote' | 'planned';
  form: AxolotlRequest['form'];
  /** Whether the rows are fixed. */
  fix: boolean;
  /** The output folder, as passed or by default. */
  folder: string;
}

/**
 * Checks the rows of a written server against Axolotl's loader, and writes what Axolotl needs to train on them. Nothing in the
 * Gym root changes.
 * @param progress called now and then with what is being done
 * @throws UserError if something cannot be used, or if another file exists at the path of a file; then nothing is written
 */
export async function trainerAxolotl(
  { target, names, folder: named, force, dryRun, ...request }: TrainerAxolotlRequest,
  progress: OnProgress,
  signal: AbortSignal,
): Promise<TrainerAxolotlReport> {
  const { gymRoot, folders } = await targetFolders(target, names);
  const [server, other] = folders;
  if (!server || other) {
    throw new UserError('Axolotl trains on one server at a time', { where: target, fix: 'name one server' });
  }
  const folder = named ?? `axolotl_${server.name}`;
  await assertOutside(folder, gymRoot);
  const training = await axolotlTraining({ ...request, gymRoot, server, folder }, { signal, progress });
  const files = await newFiles(training, folder, force);
  if (!dryRun) {
    progress({ phase: 'step', what: `writing ${folder}` });
    await writeFiles(files);
  }
  const { form, fix } = request;
  return { ...training, status: dryRun ? 'planned' : 'wrote', form, fix, folder };
}

async function assertOutside(folder: string, gymRoot: string): Promise<void> {
  const [inside, root] = [await realPath(folder), await realPath(gymRoot)];
  if (inside !== root && !inside.startsWith(join(root, '/'))) return;
  throw new UserError('the output folder is in the Gym root', {
    where: folder,
    fix: 'choose another folder with -o',
  });
}

async function newFiles(
  { names, files, rowFiles }: AxolotlTraining,
  folder: string,
  force: boolean,
): Promise<NewFile[]> {
  const found: NewFile[] = [];
  for (const { path, text } of files) {
    const file = join(folder, path);
    const target = await targetOf(file);
    if (!force) await replaceableText(target, file);
    found.push({ target, content: signed('trainer axolotl', text) });
  }
  for (const { path, rows } of rowFiles) {
    const file = join(folder, path);
    const target = await targetOf(file);
    if (!force) await assertReplaceableRows(target, file, names);
    found.push({ target, content: rows });
  }
  return found;
}

function targetOf(file: string): Promise<string> {
  return translateErrors(file, () => targetFile(file, 'a file in another folder'));
}

async function assertReplaceableRows(target: string, file: string, names: AxolotlTraining['names']): Promise<void> {
  if ((await orUndefined(['ENOENT'], isFixedRows(target, names))) !== false) return;
  throw new UserError('existing file was not written by gymgen for this server', {
    where: file,
    fix: 'choose another folder with -o, or add --force to replace it',
  });
}
