import path from 'node:path';
import type { PlanEntry } from '../model.js';
import { shellQuote } from '../printed-command.js';
import type { Target } from './types.js';

/** The parts of a package's folder. */
export const ENVIRONMENT = 'environment/';
export const DATASET = 'dataset/';
export const JOB = 'job.json';

/** Names of the two file sets. */
export interface FilesetNames {
  environment: string;
  dataset: string;
}

export interface CommandParts {
  /** Folder of the package, as the user names it. */
  folder: string;
  workspace: string;
  target: Target;
  names: FilesetNames;
  /** Whether the user chose the name, so that the file set may exist with other files. */
  isNamed: boolean;
  entries: readonly PlanEntry[];
}

/** The commands of `nemo` (nemo-helix 0.8.1) that upload the file sets and submit the job. */
export function jobCommands(parts: CommandParts): string[] {
  const { folder, workspace, target, names } = parts;
  const job = shellQuote(path.join(folder, JOB));
  if (target === 'evals') {
    return [
      ...upload(ENVIRONMENT, names.environment, 'environment', parts),
      `nemo evals agent-evaluate --spec-file ${job} --workspace ${workspace}`,
    ];
  }
  return [
    ...upload(ENVIRONMENT, names.environment, 'environment', parts),
    ...upload(DATASET, names.dataset, 'dataset', parts),
    `nemo customization rl --job-json ${job} --workspace ${workspace}`,
  ];
}

/** The slash at the end of the folder uploads its contents, not the folder. An upload only adds files. */
function upload(
  part: string,
  name: string,
  purpose: string,
  { folder, workspace, isNamed, entries }: CommandParts,
): string[] {
  const from =
    path.isAbsolute(folder) || folder.startsWith('.') ? path.join(folder, part) : `./${path.join(folder, part)}`;
  const stale = entries.filter((entry) => entry.state === 'stale' && entry.path.startsWith(part));
  return [
    `nemo files filesets create ${name} --workspace ${workspace} --purpose ${purpose} --exist-ok`,
    ...(isNamed ? stale : []).map(
      (entry) =>
        `nemo files delete ${name} --workspace ${workspace} --remote-path ${shellQuote(entry.path.slice(part.length))}`,
    ),
    `nemo files upload ${shellQuote(from)} ${name} --workspace ${workspace}`,
    `nemo files list ${name} --workspace ${workspace}`,
  ];
}
